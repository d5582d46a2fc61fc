import { describe, expect, it } from '@jest/globals';
import { CommanderError } from 'commander';
import { createProgram } from '../../../cli/program.ts';
import { RecordingTerminal } from './recordingTerminal.ts';

async function run(...argv: string[]): Promise<{ terminal: RecordingTerminal; error: unknown }> {
  const terminal = new RecordingTerminal();
  const program = createProgram(terminal, () => undefined);
  const error: unknown = await program.parseAsync(argv, { from: 'user' }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return { terminal, error };
}

const COMMANDS = ['run', 'worker', 'create', 'get', 'describe', 'logs', 'cancel'];

describe('durable-restore --help', () => {
  it('lists the commands', async () => {
    const { terminal, error } = await run('--help');
    expect(error).toMatchObject({ exitCode: 0 });
    for (const command of COMMANDS) expect(terminal.output).toMatch(new RegExp(`^ {2}${command} `, 'm'));
  });

  it.each(COMMANDS)('%s --help has examples and says what its flags are', async (command) => {
    const { terminal } = await run(command, '--help');
    expect(terminal.output).toContain('Examples:');
    expect(terminal.output).toContain(`durable-restore ${command}`);
  });

  it.each(['run', 'create'])('%s --help has the exit codes', async (command) => {
    expect((await run(command, '--help')).terminal.output).toContain('5  paused');
  });

  it("keeps Velero's namespace and Temporal's apart", async () => {
    const { output } = (await run('create', '--help')).terminal;
    expect(output).toContain('-n, --namespace <namespace>');
    expect(output).toContain('--temporal-namespace <namespace>');
  });
});

describe('wrong command lines', () => {
  it.each([
    ['an unknown flag', ['run', '--bogus'], "unknown option '--bogus'"],
    ['an unknown command', ['restore'], "unknown command 'restore'"],
    ['a missing name', ['cancel'], "missing required argument 'name'"],
    ['two names', ['run', 'a', 'b', '--from-backup', 'c'], 'too many arguments'],
    ['an unknown format', ['get', '-o', 'xml'], 'Allowed choices are table, json, yaml'],
    ['a worker version without a build', ['worker', '--versioning', 'restore'], 'expected deployment/build'],
  ])('%s', async (_, argv, message) => {
    const { terminal, error } = await run(...argv);
    expect(error).toBeInstanceOf(CommanderError);
    expect(error).toMatchObject({ exitCode: 1 });
    expect(terminal.notes.join('\n')).toContain(message);
  });

  it.each([
    ['run without a location', ['run', '--from-backup', 'a'], 'where are the backups?'],
    ['a worker without one', ['worker'], 'a worker needs a storage location'],
    ['names with a selector', ['get', 'a', '-l', 'b=c'], '--selector cannot be used with names'],
    ['logs without one', ['logs', 'a'], "the log is in the restore's files"],
  ])('%s', async (_, argv, message) => {
    const { error } = await run(...argv);
    expect(error).toMatchObject({ type: 'Usage' });
    expect(String(error)).toContain(message);
  });
});

describe('create -o', () => {
  it('shows the Restore and starts nothing', async () => {
    const { terminal, error } = await run('create', 'copy', '--from-backup', 'nightly', '-o', 'json');
    expect(error).toBeUndefined();
    expect(JSON.parse(terminal.output)).toMatchObject({ kind: 'Restore', metadata: { name: 'copy' } });
  });
});
