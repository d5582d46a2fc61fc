import { describe, expect, it } from '@jest/globals';
import { CommandError } from '../../../cli/commandError.ts';
import { reportError } from '../../../cli/reportError.ts';
import { RestoreNameTaken, RestoreValidationFailed, TemporalUnreachable } from '../../../client/index.ts';
import { ObjectStoreError } from '../../../domain/backup/objectStore.ts';
import { RecordingTerminal } from './recordingTerminal.ts';

function report(error: unknown, verbose = false): { exitCode: number; notes: string[] } {
  const terminal = new RecordingTerminal();
  return { exitCode: reportError(error, terminal, verbose), notes: terminal.notes };
}

describe('reportError', () => {
  it.each<[string, Error, number]>([
    ['a command error', new CommandError('Usage', 'no such flag'), 1],
    ['a command error with a code', new CommandError('Other', 'taken', { exitCode: 6 }), 6],
    ['a taken name', new RestoreNameTaken('a', 'Completed', 'restore/x', undefined), 6],
    ['an invalid restore', new RestoreValidationFailed('a', ['spec is wrong']), 3],
    ['an unreachable server', new TemporalUnreachable('127.0.0.1:7233', 'refused'), 1],
    ['a missing bucket', new ObjectStoreError('NoSuchBucket', 'directory /nope: there is no such directory'), 1],
  ])('%s is one line and its exit code', (_, error, exitCode) => {
    expect(report(error)).toEqual({ exitCode, notes: [`error: ${error.message}`] });
  });

  it('keeps messages of several lines, and control characters, on one line', () => {
    expect(report(new CommandError('X', 'first\nsecond \u001b[2J')).notes).toEqual(['error: first second \\u001b[2J']);
  });

  it('shows no stack, and says how to see more of what was not expected', () => {
    const { notes } = report(new TypeError('x is not a function'));
    expect(notes).toEqual(['error: x is not a function', '  (--verbose shows more)']);
  });

  it('shows causes with verbose', () => {
    const { notes } = report(new CommandError('X', 'outer', { cause: new Error('inner') }), true);
    expect(notes.join('\n')).toContain('Error: inner');
  });

  it('takes what is no error', () => {
    expect(report('text').notes[0]).toBe('error: text');
  });
});
