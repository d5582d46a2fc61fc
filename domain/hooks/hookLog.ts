import { formatGoDuration } from '../go/duration.ts';
import type { LogLine } from '../results/logrus.ts';
import { podPath } from './hook.ts';
import { type EndedHook, hasFailed } from './hookOutcome.ts';

/** Bytes kept of each of a command's outputs. */
export const MAX_OUTPUT_BYTES = 64 * 1024;

/** What a command wrote, as far as it was kept. */
export interface HookOutput {
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * What the restore's log says of a hook: its end with exit code and duration, then what it wrote, line by line. The fields are Velero's
 * but for the command, which may hold what should not be in a log.
 */
export function* hookLogLines({ pod, hook, outcome }: EndedHook, output: HookOutput): Generator<LogLine> {
  const fields = {
    hookName: hook.name,
    hookContainer: hook.container,
    hookOnError: hook.onError,
    hookSource: hook.source,
    hookType: 'exec',
    hookPhase: 'post',
    pod: podPath(pod),
  };
  const level = !hasFailed(outcome) ? 'info' : hook.onError === 'Fail' ? 'error' : 'warning';
  const message = outcome.message ?? `hook ${hook.name} in container ${hook.container} succeeded`;
  const facts = {
    ...(outcome.exitCode === undefined ? {} : { exitCode: String(outcome.exitCode) }),
    ...(outcome.durationMs === undefined ? {} : { duration: formatGoDuration(outcome.durationMs) }),
  };
  yield { time: outcome.at, level, message, fields: { ...fields, ...facts } };
  yield* outputLines('stdout', output.stdout, outcome.stdoutBytes, outcome.at, fields);
  yield* outputLines('stderr', output.stderr, outcome.stderrBytes, outcome.at, fields);
}

function* outputLines(
  stream: 'stdout' | 'stderr',
  text: string,
  bytes: number | undefined,
  time: string,
  fields: Readonly<Record<string, string>>,
): Generator<LogLine> {
  const lines = text.replace(/\n$/, '').split('\n');
  if (text !== '') {
    for (const line of lines) yield { time, level: 'info', message: `${stream}: ${line}`, fields };
  }
  if (bytes === undefined || bytes <= MAX_OUTPUT_BYTES) return;
  yield { time, level: 'info', message: `${stream}: ${bytes - MAX_OUTPUT_BYTES} more bytes were not kept`, fields };
}
