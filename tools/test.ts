/**
 * `npm test`: fetches or builds the servers that tests need, then runs the tiers of jest.config.js, the fast ones first. With
 * `--full` also the second tier of servers and the tests that need it. Further arguments go to jest. The last line is
 * `N passed, N failed`, from jest's own result.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePrograms } from './servers/ensure.ts';
import { programs } from './servers/programs.ts';

const FAST_TIERS = ['unit'];
const SERVER_TIERS = ['workflow', 'integration'];

interface JestResult {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numRuntimeErrorTestSuites: number;
}

/** A test file that does not even load counts as one failure: jest counts its tests as none. */
function runJest(
  tiers: readonly string[],
  args: readonly string[],
): { passed: number; failed: number; skipped: number } {
  const directory = mkdtempSync(join(tmpdir(), 'durable-restore-jest-'));
  const outputFile = join(directory, 'result.json');
  try {
    const jest = ['node_modules/jest/bin/jest.js', '--selectProjects', ...tiers, '--json', '--outputFile', outputFile];
    const { status } = spawnSync(process.execPath, ['--experimental-vm-modules', '--no-warnings', ...jest, ...args], {
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

const fast = runJest(FAST_TIERS, jestArgs);
const tiers = isFull ? [1, 2] : [1];
await ensurePrograms(programs.filter(({ tier }) => tiers.includes(tier)).map(({ name }) => name));
const slow = runJest(isFull ? [...SERVER_TIERS, 'full'] : SERVER_TIERS, ['--maxWorkers=2', ...jestArgs]);

const passed = fast.passed + slow.passed;
const failed = fast.failed + slow.failed;
const skipped = fast.skipped + slow.skipped;
if (skipped > 0) process.stdout.write(`${skipped} skipped: see the reasons above\n`);
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
