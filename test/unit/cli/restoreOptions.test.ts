import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Command } from 'commander';
import { withExplicitBooleans } from '../../../cli/argv.ts';
import {
  addRestoreFlags,
  OPTIONAL_BOOLEANS,
  type RestoreCommandFlags,
  readRestore,
  readRestoreOptions,
} from '../../../cli/options/restoreOptions.ts';
import { temporaryDirectory } from './temporaryDirectory.ts';

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

  it.each(['0', '10', 'soon', '-1m'])('refuses the duration %s', (duration) => {
    const { flags } = parse('--from-backup=a', `--terminating-resource-timeout=${duration}`);
    expect(() => readRestoreOptions(flags)).toThrow(`--terminating-resource-timeout: found "${duration}"`);
  });
});
