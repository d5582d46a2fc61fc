import { beforeAll, describe, expect, it } from '@jest/globals';
import { type GoldenReport, runGolden } from '../../tools/golden/golden.ts';
import { describeCase } from '../../tools/golden/report.ts';

/** Servers are prepared once; then a case takes some ten seconds, several times that on a busy machine. */
const DEADLINE_MS = 900_000;

/** One test per case: it ends as it did with the real Velero, listed differences apart. */
export function goldenTests(names: readonly string[]): void {
  describe('golden cases', () => {
    let report: GoldenReport;

    beforeAll(async () => {
      report = await runGolden({ names });
    }, DEADLINE_MS);

    it.each(names)('%s leaves what the real Velero left', (name) => {
      const found = report.cases.find((one) => one.name === name);
      expect(found).toBeDefined();
      expect(describeCase(found!)).toMatch(new RegExp(`^${name} {2}ok \\(`));
    });
  });
}
