import { Command } from 'commander';
import { RestoreManifestError } from '../../domain/restore/restoreManifest.ts';
import { ServerStartFailed } from '../servers/process.ts';
import { logToStderr } from '../servers/progress.ts';
import { ServerMissing } from '../servers/serverMissing.ts';
import { DifferencesError } from './differences.ts';
import { runGolden } from './golden.ts';
import { GoldenCaseError } from './goldenCase.ts';
import { describeCase, describeEnd, isGood } from './report.ts';

interface Flags {
  readonly cases?: string;
  readonly keep?: boolean;
  readonly verbose?: boolean;
}

const help = `
Examples:
  npm run golden                            every case
  npm run golden -- plain labels            these two
  npm run golden -- failed-validation       a group of cases, which share a target
  npm run golden -- --keep existing-none    keep dumps, results and logs, and say where
  npm run golden -- --cases DIR             cases of another folder, each with restore.yaml, after.json.gz, …

What is meant to differ is in test/golden/differences.yaml; docs/velero-differences.md says it in words.
Exit codes: 0 nothing but listed differences, 1 a case differs or could not be run, 2 no such case or a wrong list.`;

const command = new Command('golden')
  .description('Restores golden cases and compares what is there afterwards with what the real Velero left.')
  .argument('[name...]', 'cases or groups of cases (default: all)')
  .option('--cases <dir>', 'folder of cases (default: the committed ones)')
  .option('--keep', 'keep the folder of this run')
  .option('--verbose', 'name the listed differences of each case')
  .addHelpText('after', help)
  .parse();

const { cases, keep, verbose } = command.opts<Flags>();
try {
  const report = await runGolden({
    casesDirectory: cases,
    names: command.args,
    keep,
    log: logToStderr,
    onCase: (one) => {
      console.log(describeCase(one, verbose));
    },
  });
  console.log(describeEnd(report));
  process.exitCode = isGood(report) ? 0 : 1;
} catch (error) {
  if (!isForPeople(error)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}

function isForPeople(error: unknown): error is Error {
  const isKnown = [GoldenCaseError, RestoreManifestError, DifferencesError, ServerMissing, ServerStartFailed];
  return isKnown.some((kind) => error instanceof kind);
}
