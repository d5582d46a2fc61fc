import { podPath } from './hook.ts';
import { type EndedHook, type HookStatus, hasFailed } from './hookOutcome.ts';

/** How each hook of a restore ended, for `describe --details`. */
export type HookSummary = readonly SummarizedHook[];

export interface SummarizedHook {
  /** `shop/db-0`. */
  readonly pod: string;
  readonly container: string;
  readonly hook: string;
  readonly onError: 'Continue' | 'Fail';
  readonly status: HookStatus;
  readonly message?: string | undefined;
  readonly exitCode?: number | undefined;
  readonly durationMs?: number | undefined;
  /** The beginning of what the command wrote. */
  readonly stdout?: string | undefined;
  readonly stderr?: string | undefined;
}

/** Of each output; the whole of it is in the restore's log. */
const SHOWN_OUTPUT = 2_000;

/** @param output what was kept of it. */
export function summarizeHook(
  { pod, hook, outcome }: EndedHook,
  output: { readonly stdout: string; readonly stderr: string },
): SummarizedHook {
  const { status, message, exitCode, durationMs } = outcome;
  return {
    pod: podPath(pod),
    container: hook.container,
    hook: hook.name,
    onError: hook.onError,
    status,
    ...(hasFailed(outcome) && message !== undefined ? { message } : {}),
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(durationMs === undefined ? {} : { durationMs }),
    ...shown('stdout', output.stdout),
    ...shown('stderr', output.stderr),
  };
}

function shown(key: 'stdout' | 'stderr', text: string): Partial<Pick<SummarizedHook, 'stdout' | 'stderr'>> {
  if (text === '') return {};
  return { [key]: text.length <= SHOWN_OUTPUT ? text : `${text.slice(0, SHOWN_OUTPUT)}…` };
}
