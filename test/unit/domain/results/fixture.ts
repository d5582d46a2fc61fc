import { readFileSync } from 'node:fs';

/** Text of a file that real Velero (log, results, resource list) or real Go (goText.json) wrote. */
export function readFixture(name: string): string {
  return readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8');
}
