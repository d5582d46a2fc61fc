import { describe, expect, it } from '@jest/globals';
import { InterruptRule, watchInterrupts } from '../../../cli/run/interrupts.ts';

describe('InterruptRule', () => {
  it.each<[string, number[], (string | undefined)[]]>([
    ['once pauses', [0], ['pause']],
    ['twice within three seconds cancels', [0, 2_999], ['pause', 'cancel']],
    ['too late changes nothing', [0, 3_001], ['pause', undefined]],
    ['a third changes nothing', [0, 1_000, 1_500], ['pause', 'cancel', undefined]],
  ])('%s', (_, times, expected) => {
    const rule = new InterruptRule();
    expect(times.map((time) => rule.press(time))).toEqual(expected);
  });
});

describe('watchInterrupts', () => {
  it('SIGINT pauses with time to cancel; the next one cancels', async () => {
    const told: boolean[] = [];
    const interrupts = watchInterrupts((mayCancel) => told.push(mayCancel));
    try {
      expect(interrupts.requested).toBe(false);
      process.emit('SIGINT');
      await interrupts.paused;
      expect([interrupts.requested, interrupts.mayCancel]).toEqual([true, true]);
      process.emit('SIGINT');
      await interrupts.cancelled;
      expect(told).toEqual([true]);
    } finally {
      interrupts.stop();
    }
  });

  it.each(['SIGTERM', 'SIGHUP'] as const)('%s pauses at once', async (signal) => {
    const interrupts = watchInterrupts(() => undefined);
    try {
      process.emit(signal);
      await interrupts.paused;
      expect(interrupts.mayCancel).toBe(false);
    } finally {
      interrupts.stop();
    }
  });

  it('gives the signals back', () => {
    const before = process.listenerCount('SIGINT');
    const interrupts = watchInterrupts(() => undefined);
    expect(process.listenerCount('SIGINT')).toBe(before + 1);
    interrupts.stop();
    expect(process.listenerCount('SIGINT')).toBe(before);
  });
});
