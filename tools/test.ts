/**
 * `npm test`: runs the tiers of jest.config.js, the fast ones first; before those that need servers it fetches or builds these. With
 * `--full` also the second tier of servers and the tests that need it. Further arguments go to jest. The last line is
 * `N passed, N failed`, from jest's own results.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePrograms } from './servers/ensure.ts';
import { programs } from './servers/programs.ts';

const SERVER_TIERS = ['workflow', 'integration'];

interface JestResult {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numRuntimeErrorTestSuites: number;
}

interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** A test file that does not even load counts as one failure: jest counts its tests as none. */
function runJest(tiers: readonly string[], args: readonly string[]): Counts {
  const directory = mkdtempSync(join(tmpdir(), 'durable-restore-jest-'));
  const outputFile = join(directory, 'result.json');
  try {
    // A pattern among the arguments may match files of one tier only.
    const options = ['--json', '--outputFile', outputFile, '--passWithNoTests', '--selectProjects', ...tiers];
    const jest = ['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js', ...options, ...args];
    const { status } = spawnSync(process.execPath, jest, {
      // The JSON is read from the file; what people read is on stderr.
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    if (!existsSync(outputFile)) throw new Error(`jest ended with ${String(status)} and no result`);
    const result = JSON.parse(readFileSync(outputFile, 'utf8')) as JestResult;
    const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
    return {
      passed: result.numPassedTests,
      failed: failed === 0 && status !== 0 ? 1 : failed,
      skipped: result.numPendingTests,
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const args = process.argv.slice(2);
const isFull = args.includes('--full');
const jestArgs = args.filter((arg) => arg !== '--full');

const counts = [runJest(['unit'], jestArgs), runJest(['local'], jestArgs)];
const tiers = isFull ? [1, 2] : [1];
await ensurePrograms(programs.filter(({ tier }) => tiers.includes(tier)).map(({ name }) => name));
counts.push(runJest(isFull ? [...SERVER_TIERS, 'full'] : SERVER_TIERS, ['--maxWorkers=2', ...jestArgs]));

const sum = (key: keyof Counts): number => counts.reduce((total, one) => total + one[key], 0);
if (sum('skipped') > 0) process.stdout.write(`${sum('skipped')} skipped: see the reasons above\n`);
process.stdout.write(`${sum('passed')} passed, ${sum('failed')} failed\n`);
process.exitCode = sum('failed') > 0 || sum('passed') === 0 ? 1 : 0;
