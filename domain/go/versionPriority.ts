const KUBERNETES_VERSION = /^v(\d+)(?:(alpha|beta)(\d+))?$/;
const STABILITY = ['alpha', 'beta', 'stable'] as const;

/** Stability, major and minor number of a version such as v1beta2; undefined for any other name. */
function partsOf(version: string): readonly number[] | undefined {
  const match = KUBERNETES_VERSION.exec(version);
  if (match === null) return undefined;
  const [, major = '', stability = 'stable', minor = '0'] = match;
  return [STABILITY.findIndex((one) => one === stability), Number(major), Number(minor)];
}

/**
 * Sorts API versions as Kubernetes ranks them, the best first: stable ones, beta, alpha, each from the highest number down, then all
 * other names from a to z. What ranks alike keeps its order.
 */
export function sortVersions(versions: readonly string[]): string[] {
  return versions.toSorted((a, b) => {
    const [left, right] = [partsOf(a), partsOf(b)];
    if (left === undefined && right === undefined) return a === b ? 0 : a < b ? -1 : 1;
    if (left === undefined || right === undefined) return left === undefined ? 1 : -1;
    const at = left.findIndex((part, index) => part !== right[index]);
    return at < 0 ? 0 : (right[at] ?? 0) - (left[at] ?? 0);
  });
}
