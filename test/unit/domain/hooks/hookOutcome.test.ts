import { describe, expect, it } from '@jest/globals';
import { execHookFromAnnotations } from '../../../../domain/hooks/annotationHooks.ts';
import type { NumberedHook, OnError, PodHooks } from '../../../../domain/hooks/hook.ts';
import { hookLogLines, MAX_OUTPUT_BYTES } from '../../../../domain/hooks/hookLog.ts';
import {
  cancelsAll,
  countHooks,
  type EndedHook,
  expiredText,
  failedText,
  type HookOutcome,
  type HookStatus,
  hookMessage,
  notExecutedText,
  settleHooks,
} from '../../../../domain/hooks/hookOutcome.ts';
import { summarizeHook } from '../../../../domain/hooks/hookSummary.ts';

const at = '2026-01-01T00:00:00Z';

function podOf(...modes: readonly OnError[]): PodHooks {
  const hooks = modes.map(
    (onError, number): NumberedHook => ({
      number,
      name: `h${String(number)}`,
      source: 'spec',
      index: number,
      container: 'main',
      command: ['run', 'with-a-password'],
      onError,
      execTimeoutMs: 30_000,
      waitForReady: false,
    }),
  );
  return { namespace: 'shop', name: 'db-0', uid: 'u1', createdAt: at, hooks, warnings: [] };
}

function outcome(number: number, status: HookStatus): HookOutcome {
  return { number, status, at, ...(status === 'succeeded' ? {} : { message: `hook h${String(number)} ${status}` }) };
}

/** The hooks of a pod that ended like this; those without a status have no outcome on record. */
function ended(
  pod: PodHooks,
  statuses: readonly (HookStatus | undefined)[],
  { started = [], reason = 'because' }: { started?: number[]; reason?: string } = {},
): EndedHook[] {
  const outcomes = new Map(
    statuses.flatMap((status, number) => (status === undefined ? [] : [[number, outcome(number, status)] as const])),
  );
  const settled = settleHooks(pod, { outcomes, started: new Set(started) }, reason, at);
  return pod.hooks.map((hook, number) => ({ index: 7, pod, hook, outcome: settled[number]! }));
}

describe('what is on record of a pod', () => {
  it.each<[string, EndedHook[], { attempted: number; failed: number }]>([
    ['R-335 H-089 nothing', ended(podOf(), []), { attempted: 0, failed: 0 }],
    ['R-336 H-090 H-097 one hook that ran', ended(podOf('Continue'), ['succeeded']), { attempted: 1, failed: 0 }],
    ['R-337 H-091 H-096 one that failed', ended(podOf('Continue'), ['failed']), { attempted: 1, failed: 1 }],
    [
      'H-094 H-099 three, one of them failed',
      ended(podOf('Continue', 'Continue', 'Continue'), ['succeeded', 'failed', 'succeeded']),
      { attempted: 3, failed: 1 },
    ],
    [
      'H-088 H-092 H-098 H-101 one of which nothing is on record',
      ended(podOf('Continue'), [undefined]),
      { attempted: 1, failed: 1 },
    ],
    [
      'H-133 two that ran',
      ended(podOf('Continue', 'Continue'), ['succeeded', 'succeeded']),
      { attempted: 2, failed: 0 },
    ],
    [
      'H-134 four, the same container and index under two names',
      ended(podOf('Continue', 'Continue', 'Continue', 'Continue'), [
        'succeeded',
        'succeeded',
        'succeeded',
        'succeeded',
      ]),
      { attempted: 4, failed: 0 },
    ],
    [
      'H-135 an error to go on after, one that ran, one that ends the rest, and the rest',
      ended(podOf('Continue', 'Continue', 'Fail', 'Continue'), ['failed', 'succeeded', 'failed', undefined]),
      // Velero counts two in a backup; a hook that was not run counts as failed in a restore.
      { attempted: 4, failed: 3 },
    ],
    ['H-136 an annotation', ended(podOf('Continue'), ['succeeded']), { attempted: 1, failed: 0 }],
    ['H-137 an annotation that failed', ended(podOf('Fail'), ['failed']), { attempted: 1, failed: 1 }],
    [
      'H-102 H-138 two pods',
      [...ended(podOf('Fail'), ['failed']), ...ended(podOf('Continue', 'Continue'), ['succeeded', 'succeeded'])],
      { attempted: 3, failed: 1 },
    ],
    ['a lost one', ended(podOf('Continue'), ['unknown']), { attempted: 1, failed: 1 }],
    ['a cancelled one', ended(podOf('Continue'), ['cancelled']), { attempted: 1, failed: 1 }],
  ])('counts: %s', (_, hooks, counts) => {
    expect(countHooks(hooks)).toEqual(counts);
  });

  it('H-095 H-100 tells what was started and left, and what was never started', () => {
    const [lost, left] = ended(podOf('Continue', 'Continue'), [undefined, undefined], {
      started: [0],
      reason: 'the restore was cancelled',
    });
    expect(lost!.outcome).toMatchObject({
      status: 'unknown',
      message: 'hook h0 in container main failed to execute, err: outcome unknown: nobody saw the end of the command',
    });
    expect(left!.outcome).toMatchObject({
      status: 'notExecuted',
      message: 'hook h1 in container main in pod shop/db-0 not executed: the restore was cancelled',
    });
  });

  it('H-093 keeps the outcome that is there', () => {
    const [hook] = ended(podOf('Continue'), ['failed'], { started: [0] });
    expect(hook!.outcome).toEqual(outcome(0, 'failed'));
  });
});

describe('messages', () => {
  it.each<[string, OnError, HookStatus, 'error' | 'warning' | undefined]>([
    ['a Fail hook that failed', 'Fail', 'failed', 'error'],
    ['a Fail hook that was not run', 'Fail', 'notExecuted', 'error'],
    ['a Fail hook whose end nobody saw', 'Fail', 'unknown', 'error'],
    ['a Continue hook that failed', 'Continue', 'failed', 'warning'],
    ['a Continue hook that was not run', 'Continue', 'notExecuted', 'warning'],
    ['a hook that ran', 'Fail', 'succeeded', undefined],
  ])('%s', (_, onError, status, level) => {
    const [hook] = ended(podOf(onError), [status]);
    const message = hookMessage(hook!);
    expect(message?.level).toBe(level);
    if (level !== undefined) expect(message).toMatchObject({ scope: { namespace: 'shop' }, text: `hook h0 ${status}` });
    expect(cancelsAll(hook!.hook, hook!.outcome)).toBe(level === 'error');
  });

  it("H-062 H-066 are Velero's", () => {
    const pod = podOf('Continue');
    const [hook] = pod.hooks;
    expect(failedText(hook!, 'exit')).toBe('hook h0 in container main failed to execute, err: exit');
    expect(expiredText(hook!)).toBe('hook h0 in container main expired before executing');
    expect(notExecutedText(pod, hook!, 'context deadline exceeded')).toBe(
      'hook h0 in container main in pod shop/db-0 not executed: context deadline exceeded',
    );
    expect(failedText(hook!, 'x'.repeat(5_000)).length).toBeLessThan(1_100);
  });
});

describe('the log of a hook', () => {
  it('has its end, its outputs line by line, and what was not kept, but not its command', () => {
    const [hook] = ended(podOf('Fail'), ['failed']);
    const facts = { exitCode: 7, durationMs: 1_500, stdoutBytes: MAX_OUTPUT_BYTES + 10, stderrBytes: 4 };
    const lines = [
      ...hookLogLines({ ...hook!, outcome: { ...hook!.outcome, ...facts } }, { stdout: 'a\nb\n', stderr: 'oops' }),
    ];
    expect(lines.map(({ level, message }) => `${level}: ${message}`)).toEqual([
      'error: hook h0 failed',
      'info: stdout: a',
      'info: stdout: b',
      'info: stdout: 10 more bytes were not kept',
      'info: stderr: oops',
    ]);
    expect(lines[0]!.fields).toEqual({
      hookName: 'h0',
      hookContainer: 'main',
      hookOnError: 'Fail',
      hookSource: 'spec',
      hookType: 'exec',
      hookPhase: 'post',
      pod: 'shop/db-0',
      exitCode: '7',
      duration: '1.5s',
    });
    expect(JSON.stringify(lines)).not.toContain('password');
  });

  it('is short for describe', () => {
    const [hook] = ended(podOf('Continue'), ['succeeded']);
    expect(summarizeHook(hook!, { stdout: 'x'.repeat(3_000), stderr: '' })).toEqual({
      pod: 'shop/db-0',
      container: 'main',
      hook: 'h0',
      onError: 'Continue',
      status: 'succeeded',
      stdout: `${'x'.repeat(2_000)}…`,
    });
  });
});

describe('annotations of backup hooks', () => {
  it.each([
    ['H-125 without a phase', 'hook.backup.velero.io/command'],
    ['H-126 before the backup', 'pre.hook.backup.velero.io/command'],
    ['H-127 H-124 after the backup', 'post.hook.backup.velero.io/command'],
  ])('%s are no restore hooks', (_, key) => {
    expect(execHookFromAnnotations({ [key]: '/bin/true' })).toBeUndefined();
  });
});
