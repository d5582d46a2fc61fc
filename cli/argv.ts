/**
 * Gives flags that may stand alone an explicit value: `--restore-volumes` becomes `--restore-volumes=true`. As in Velero a value
 * needs the equals sign, so that in `--restore-volumes nightly` the second word is an argument.
 * @param optionalBooleans flags with their dashes.
 */
export function withExplicitBooleans(argv: readonly string[], optionalBooleans: readonly string[]): string[] {
  const end = argv.indexOf('--');
  return argv.map((word, position) => {
    const isFlag = (end < 0 || position < end) && optionalBooleans.includes(word);
    return isFlag ? `${word}=true` : word;
  });
}
