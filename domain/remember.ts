/** Does the work when it is first asked for, once for all who ask, and remembers the result. A failure is forgotten: who asks next tries again. */
export function remember<T>(work: () => Promise<T>): () => Promise<T> {
  let remembered: Promise<T> | undefined;
  return () => {
    if (remembered === undefined) {
      const begun = work();
      remembered = begun;
      begun.catch(() => {
        if (remembered === begun) remembered = undefined;
      });
    }
    return remembered;
  };
}
