import { describe, expect, it } from '@jest/globals';
import { describeHooks } from '../../../../domain/describe/describeHooks.ts';
import type { HookSummary } from '../../../../domain/hooks/hookSummary.ts';

describe('describeHooks', () => {
  it('shows pod by pod how each hook ended and how its output begins', () => {
    const hooks: HookSummary = [
      {
        pod: 'shop/db-0',
        container: 'main',
        hook: 'warm-up',
        onError: 'Fail',
        status: 'succeeded',
        exitCode: 0,
        durationMs: 1_250,
        stdout: 'ready\n',
      },
      {
        pod: 'shop/db-0',
        container: 'side\u001b[31m',
        hook: 'check',
        onError: 'Continue',
        status: 'failed',
        message: 'hook check in container side failed to execute, err: command terminated with exit code 7',
        exitCode: 7,
        durationMs: 30,
        stderr: Array.from({ length: 12 }, (_, line) => `line ${String(line)}`).join('\n'),
      },
      {
        pod: 'shop/db-1',
        container: 'main',
        hook: 'warm-up',
        onError: 'Fail',
        status: 'notExecuted',
        message: 'because',
      },
    ];
    expect(describeHooks(hooks).map(([line]) => line)).toEqual([
      'Hooks:',
      '  shop/db-0:',
      '    - warm-up in main: succeeded (exit code 0, 1.25s)',
      '        stdout: ready',
      '    - check in side\\u001b[31m: failed (exit code 7, 30ms, onError Continue)',
      '        hook check in container side failed to execute, err: command terminated with exit code 7',
      ...Array.from({ length: 10 }, (_, line) => `        stderr: line ${String(line)}`),
      '        stderr: … (2 more lines; the whole is in the log)',
      '  shop/db-1:',
      '    - warm-up in main: not executed (onError Fail)',
      '        because',
    ]);
  });
});
