import { formatGoDuration } from '../go/duration.ts';
import type { HookSummary, SummarizedHook } from '../hooks/hookSummary.ts';
import type { Line } from './columns.ts';
import { printable } from './printable.ts';

/** Lines of each output that a description shows. */
const SHOWN_LINES = 10;

const STATUS_TEXTS = {
  succeeded: 'succeeded',
  failed: 'failed',
  cancelled: 'cancelled',
  notExecuted: 'not executed',
  unknown: 'outcome unknown',
} as const;

/** How each hook ended, pod by pod, with the beginning of what it wrote; our own addition. */
export function describeHooks(hooks: HookSummary): Line[] {
  const pods = new Map<string, SummarizedHook[]>();
  for (const hook of hooks) pods.set(hook.pod, [...(pods.get(hook.pod) ?? []), hook]);
  return [
    ['Hooks:'],
    ...[...pods].flatMap(([pod, ofPod]): Line[] => [[`  ${printable(pod)}:`], ...ofPod.flatMap(describeHook)]),
  ];
}

function describeHook(hook: SummarizedHook): Line[] {
  const { container, status, exitCode, durationMs, onError, message } = hook;
  const facts = [
    ...(exitCode === undefined ? [] : [`exit code ${exitCode}`]),
    ...(durationMs === undefined ? [] : [formatGoDuration(durationMs)]),
    ...(status === 'succeeded' ? [] : [`onError ${onError}`]),
  ];
  const what = `    - ${printable(hook.hook)} in ${printable(container)}: ${STATUS_TEXTS[status]}`;
  return [
    [facts.length === 0 ? what : `${what} (${facts.join(', ')})`],
    ...(message === undefined ? [] : [[`        ${printable(message)}`]]),
    ...outputLines('stdout', hook.stdout),
    ...outputLines('stderr', hook.stderr),
  ];
}

function outputLines(stream: string, text: string | undefined): Line[] {
  if (text === undefined) return [];
  const lines = text.replace(/\n$/, '').split('\n');
  const more = lines.length - SHOWN_LINES;
  return [
    ...lines.slice(0, SHOWN_LINES).map((line) => [`        ${stream}: ${printable(line)}`]),
    ...(more > 0 ? [[`        ${stream}: … (${more} more lines; the whole is in the log)`]] : []),
  ];
}
