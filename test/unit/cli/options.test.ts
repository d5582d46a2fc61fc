import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Command, CommanderError } from 'commander';
import { withExplicitBooleans } from '../../../cli/argv.ts';
import {
  addRestoreFlags,
  OPTIONAL_BOOLEANS,
  type RestoreCommandFlags,
  readRestore,
  readRestoreOptions,
} from '../../../cli/options/restoreOptions.ts';
import {
  addStorageLocationFlags,
  readStorageLocation,
  readStorageLocations,
  requireStorageLocation,
  type StorageLocationFlags,
} from '../../../cli/options/storageLocationOptions.ts';
import { createProgram } from '../../../cli/program.ts';
import { RecordingTerminal } from './recordingTerminal.ts';
import { temporaryDirectory } from './temporaryDirectory.ts';

describe('withExplicitBooleans', () => {
  it.each([
    ['stands alone', ['create', '--restore-volumes'], ['create', '--restore-volumes=true']],
    ['before an argument', ['--restore-volumes', 'nightly'], ['--restore-volumes=true', 'nightly']],
    ['with a value', ['--restore-volumes=false'], ['--restore-volumes=false']],
    ['another flag', ['--restore-volumes-x', '-w'], ['--restore-volumes-x', '-w']],
    ['behind --', ['--', '--restore-volumes'], ['--', '--restore-volumes']],
  ])('%s', (_, argv, expected) => {
    expect(withExplicitBooleans(argv, ['--restore-volumes'])).toEqual(expected);
  });
});

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

const NOW = new Date(2026, 10, 30, 9, 5, 7);

interface Parsed {
  readonly name: string | undefined;
  readonly flags: RestoreCommandFlags;
}

function parse(...argv: string[]): Parsed {
  const command = addRestoreFlags(
    new Command()
      .argument('[name]')
      .exitOverride()
      .configureOutput({ writeErr: () => undefined }),
  );
  command.parse(withExplicitBooleans(argv, OPTIONAL_BOOLEANS), { from: 'user' });
  return { name: command.args[0], flags: command.opts<RestoreCommandFlags>() };
}

function read(...argv: string[]) {
  const { name, flags } = parse(...argv);
  return readRestore(name, flags, NOW);
}

describe('restore flags', () => {
  it('make the Restore that velero restore create makes', async () => {
    const restore = await read(
      'copy',
      '--from-backup=nightly',
      '--include-namespaces=shop,data',
      '--namespace-mappings=shop:shop-copy',
      '--namespace-mappings=data:data-copy',
      '--exclude-resources=events,pods',
      '--restore-volumes',
      '--preserve-nodeports=false',
      '--selector=app=web',
      '--existing-resource-policy=update',
      '--labels=team=a',
      '--namespace=backup',
    );
    expect(restore).toMatchObject({
      name: 'copy',
      namespace: 'backup',
      labels: { team: 'a' },
      spec: {
        backupName: 'nightly',
        includedNamespaces: ['shop', 'data'],
        excludedResources: ['events', 'pods'],
        namespaceMapping: { shop: 'shop-copy', data: 'data-copy' },
        restorePVs: true,
        preserveNodePorts: false,
        labelSelector: { matchLabels: { app: 'web' } },
        existingResourcePolicy: 'update',
      },
    });
  });

  it('take the name from the backup and the time where none is given', async () => {
    expect((await read('--from-backup=nightly')).name).toBe('nightly-20261130090507');
  });

  it('do not take the argument behind a bare boolean for its value', async () => {
    const restore = await read('--from-backup=nightly', '--restore-volumes', 'copy');
    expect(restore).toMatchObject({ name: 'copy', spec: { restorePVs: true } });
  });

  it.each([
    ['no source', ['copy'], 'either a backup or schedule must be specified, but not both'],
    ['two sources', ['--from-backup=a', '--from-schedule=b'], 'either a backup or schedule must be specified'],
    ['a policy of ones own', ['--from-backup=a', '--existing-resource-policy=overwrite'], 'existing-resource-policy'],
    ['a mapping without a target', ['--from-backup=a', '--namespace-mappings=shop'], '"shop"'],
  ])('refuse %s', async (_, argv, message) => {
    await expect(read(...argv)).rejects.toThrow(message);
  });

  it.each([['--order=fastest'], ['--shards=many'], ['--window=-1'], ['--no-such-flag']])('refuse %s', (flag) => {
    expect(() => parse('--from-backup=a', flag)).toThrow();
  });
});

describe('--file', () => {
  async function manifest(text: string): Promise<string> {
    const file = join(await temporaryDirectory(), 'restore.yaml');
    await writeFile(file, text);
    return file;
  }

  const text = 'apiVersion: velero.io/v1\nkind: Restore\nmetadata: {name: from-file}\nspec: {backupName: nightly}\n';

  it('reads a Velero Restore; the namespace flag fills in', async () => {
    const restore = await read('-f', await manifest(text), '-n', 'backup');
    expect(restore).toEqual({ name: 'from-file', namespace: 'backup', spec: { backupName: 'nightly' } });
  });

  it('takes an argument as the name', async () => {
    expect((await read('other', '-f', await manifest(text))).name).toBe('other');
  });

  it('refuses unknown fields, naming them', async () => {
    const file = await manifest(text.replace('backupName', 'backupNam'));
    await expect(read('-f', file)).rejects.toThrow('spec.backupNam: unknown field');
  });

  it('refuses flags beside it', async () => {
    const file = await manifest(text);
    await expect(read('-f', file, '--include-namespaces=shop')).rejects.toThrow(
      '--include-namespaces cannot be used with --file',
    );
  });

  it('says what is wrong with the file', async () => {
    const directory = await temporaryDirectory();
    await expect(read('-f', join(directory, 'nope.yaml'))).rejects.toThrow('nope.yaml: there is no such file');
    await expect(read('-f', directory)).rejects.toThrow('found a directory, expected a file');
  });
});

describe('readRestoreOptions', () => {
  it('gives only what was asked for', () => {
    expect(readRestoreOptions(parse('--from-backup=a').flags)).toEqual({});
    const flags = ['--order=strict', '--shards=4', '--window=20', '--items-per-activity=1', '--resource-timeout=90s'];
    expect(readRestoreOptions(parse('--from-backup=a', ...flags).flags)).toEqual({
      order: 'strict',
      shards: 4,
      window: 20,
      itemsPerActivity: 1,
      resourceTimeoutMs: 90_000,
    });
  });

  it.each([
    ['90m', 5_400_000],
    ['0', 0],
  ])('hook-timeout %s', (text, hookTimeoutMs) => {
    expect(readRestoreOptions(parse('--from-backup=a', `--hook-timeout=${text}`).flags)).toEqual({ hookTimeoutMs });
  });

  it.each(['0', '10', 'soon', '-1m'])('refuses the duration %s', (duration) => {
    const { flags } = parse('--from-backup=a', `--terminating-resource-timeout=${duration}`);
    expect(() => readRestoreOptions(flags)).toThrow(`--terminating-resource-timeout: found "${duration}"`);
  });
});

describe('storageLocationOptions', () => {
  function parse(...argv: string[]): StorageLocationFlags {
    return addStorageLocationFlags(new Command().exitOverride()).parse(argv, { from: 'user' }).opts();
  }

  function manifest(name: string, isDefault = false): string {
    return JSON.stringify({
      apiVersion: 'velero.io/v1',
      kind: 'BackupStorageLocation',
      metadata: { name },
      spec: { provider: 'directory', objectStorage: { bucket: `/srv/${name}` }, default: isDefault },
    });
  }

  async function file(text: string): Promise<string> {
    const path = join(await temporaryDirectory(), 'location.yaml');
    await writeFile(path, text);
    return path;
  }

  describe('storage location flags', () => {
    it('take a directory', async () => {
      expect(await readStorageLocation(parse('--backup-dir', 'backups', '--prefix', 'east'))).toMatchObject({
        name: 'default',
        provider: 'directory',
        bucket: resolve('backups'),
        prefix: 'east',
      });
    });

    it('take a bucket with the settings of its provider', async () => {
      const location = await readStorageLocation(
        parse('--bucket=velero', '--config=region=eu,s3ForcePathStyle=true', '--config=s3Url=http://s3:9000'),
      );
      expect(location).toMatchObject({
        provider: 'aws',
        bucket: 'velero',
        config: { region: 'eu', s3ForcePathStyle: 'true', s3Url: 'http://s3:9000' },
      });
    });

    it('R-456 take certificates to trust, or none at all; a location file brings its own', async () => {
      const certificates = '-----BEGIN CERTIFICATE-----\n';
      const flags = parse(
        '--bucket=velero',
        '--config=insecureSkipTLSVerify=true',
        '--cacert',
        await file(certificates),
      );
      expect(await readStorageLocation(flags)).toMatchObject({
        caCert: certificates,
        config: { insecureSkipTLSVerify: 'true' },
      });
      await expect(readStorageLocation(parse('--bucket=velero', '--cacert=/no/such/file'))).rejects.toThrow(
        '/no/such/file: there is no such file',
      );
      const location = JSON.parse(manifest('a')) as { spec: { objectStorage: object } };
      Object.assign(location.spec.objectStorage, { caCert: Buffer.from(certificates).toString('base64') });
      const path = await file(JSON.stringify(location));
      expect(await readStorageLocation(parse('--storage-location', path))).toMatchObject({ caCert: certificates });
    });

    it('take files, several times', async () => {
      const files = [await file(manifest('a')), await file(manifest('b', true))];
      const flags = parse('--storage-location', files[0]!, '--storage-location', files[1]!);
      expect((await readStorageLocations(flags)).map(({ name }) => name)).toEqual(['a', 'b']);
      expect((await readStorageLocation(flags))?.name).toBe('b');
      expect((await readStorageLocation({ ...flags, storageLocationName: 'a' }))?.name).toBe('a');
    });

    it('refuse a name that is given twice or is not there', async () => {
      const path = await file(manifest('a'));
      const twice = parse('--storage-location', path, '--storage-location', path);
      await expect(readStorageLocations(twice)).rejects.toThrow('found "a" twice');
      const flags = parse('--storage-location', path, '--storage-location-name', 'z');
      await expect(readStorageLocation(flags)).rejects.toThrow('no BackupStorageLocation "z", there are: a');
    });

    it('refuse a directory together with a bucket', async () => {
      await expect(readStorageLocations(parse('--backup-dir=a', '--bucket=b'))).rejects.toThrow(
        'cannot be used together',
      );
    });

    it('go before the file of the environment', async () => {
      const flags = { storageLocation: '/no/such/file', backupDir: '/srv/velero' };
      expect((await readStorageLocation(flags))?.bucket).toBe('/srv/velero');
      await expect(readStorageLocation({ storageLocation: '/no/such/file' })).rejects.toThrow(
        '/no/such/file: there is no such file',
      );
    });

    it('say which flags there are where one is needed', async () => {
      expect(await readStorageLocation({})).toBeUndefined();
      await expect(requireStorageLocation({})).rejects.toThrow(
        '--backup-dir DIRECTORY, --bucket BUCKET, or --storage-location FILE',
      );
    });
  });
});
