import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { searchAttributes } from '../../../domain/contract.ts';
import { projectFolder } from '../../../tools/compose/composeFile.ts';
import { searchAttributesOf } from '../../../tools/compose/searchAttributes.ts';
import { type CommandResult, runCommand } from '../../../tools/servers/command.ts';

/**
 * The scripts of deploy/compose with small stand-ins for the `temporal` command and temporal-sql-tool: what they do
 * when a server is late, refuses, or has things already. test/full/productionServer.test.ts runs them on the real ones.
 */
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'setup-scripts-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

/** A program on PATH that notes how it was called and then runs `body`; `$seen` counts its calls with these words. */
async function standIn(name: string, body: string): Promise<void> {
  const path = join(folder, name);
  const script = `#!/bin/sh
echo "\${SQL_DATABASE:-} $*" >> "${folder}/calls"
seen=$(grep -c -- "^\${SQL_DATABASE:-} $*\\$" "${folder}/calls")
${body}
`;
  await writeFile(path, script);
  await chmod(path, 0o755);
}

async function run(script: string, environment: Record<string, string>): Promise<CommandResult> {
  return runCommand('/bin/sh', [join(projectFolder, 'deploy', 'compose', script)], {
    environment: {
      PATH: `${folder}:${process.env['PATH'] ?? ''}`,
      SETUP_PAUSE: '0',
      SETUP_ATTEMPTS: '3',
      SETUP_SETTLE: '0',
      ...environment,
    },
  });
}

async function calls(): Promise<string[]> {
  const text = await readFile(join(folder, 'calls'), 'utf8').catch(() => '');
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.endsWith('--version'));
}

describe('setup-schema.sh', () => {
  const environment = { SQL_HOST: 'db', SQL_USER: 'temporal', SQL_PASSWORD: 'secret' };

  it('creates, sets up and updates both databases', async () => {
    await standIn('temporal-sql-tool', 'echo 1.32');
    expect((await run('setup-schema.sh', environment)).code).toBe(0);
    expect(await calls()).toEqual([
      'temporal create',
      'temporal setup-schema --version 0.0',
      'temporal update-schema --schema-name postgresql/v12/temporal',
      'temporal_visibility create',
      'temporal_visibility setup-schema --version 0.0',
      'temporal_visibility update-schema --schema-name postgresql/v12/visibility',
    ]);
  });

  it('waits for a database that is not up yet', async () => {
    await standIn('temporal-sql-tool', '[ "$*" != create ] || [ "$seen" -ge 3 ]');
    expect((await run('setup-schema.sh', environment)).code).toBe(0);
    expect((await calls()).filter((call) => call === 'temporal create')).toHaveLength(3);
  });

  it('gives up after the given number of attempts and says on what', async () => {
    await standIn('temporal-sql-tool', 'exit 1');
    const { code, errorTail } = await run('setup-schema.sh', environment);
    expect(code).toBe(1);
    expect(errorTail).toEqual(["setup-schema: no database 'temporal' at db:5432 after 3 attempts"]);
    expect(await calls()).toHaveLength(3);
  });

  it('ends at a failed update, before the next database', async () => {
    await standIn('temporal-sql-tool', '[ "$1" != update-schema ]');
    expect((await run('setup-schema.sh', environment)).code).toBe(1);
    expect((await calls()).at(-1)).toBe('temporal update-schema --schema-name postgresql/v12/temporal');
  });

  it.each(['SQL_HOST', 'SQL_USER', 'SQL_PASSWORD'])('asks for %s when it is not set', async (name) => {
    const { code, errorTail, output } = await run('setup-schema.sh', { ...environment, [name]: '' });
    expect(code).not.toBe(0);
    expect(errorTail.join()).toContain(`${name} is not set`);
    expect(errorTail.join() + output).not.toContain('secret');
  });
});

describe('setup-namespace.sh', () => {
  const environment = { TEMPORAL_ADDRESS: 'temporal:7233' };

  /** A `temporal` command whose namespace and attributes are files in the folder; `extra` comes first. */
  async function temporal(extra = ''): Promise<void> {
    await standIn(
      'temporal',
      `${extra}
case "$*" in
  'operator cluster health') ;;
  'operator namespace describe'*) [ -e "${folder}/namespace" ] ;;
  'operator namespace create'*) touch "${folder}/namespace" ;;
  'operator namespace update'*) [ -e "${folder}/namespace" ] ;;
  'operator search-attribute list'*)
    echo '    Name      Type'
    echo '  WorkflowId  Keyword'
    cat "${folder}/attributes" 2>/dev/null || true ;;
  'operator search-attribute create'*) echo "  $7  $9" >> "${folder}/attributes" ;;
  'workflow count'*) ;;
  *) echo "unexpected: $*" >&2; exit 9 ;;
esac`,
    );
  }

  it('registers the search attributes of the contract', async () => {
    const script = await readFile(join(projectFolder, 'deploy', 'compose', 'setup-namespace.sh'), 'utf8');
    const registered = Object.entries(searchAttributesOf(script)).map(([name, type]) => [name, type.toUpperCase()]);
    expect(Object.fromEntries(registered)).toEqual(searchAttributes);
  });

  it('creates the namespace and every attribute', async () => {
    await temporal();
    const { code, output } = await run('setup-namespace.sh', environment);
    expect(code).toBe(0);
    expect(output).toContain("namespace 'default' keeps closed restores for 168h and has RestoreName=Keyword");
    expect(await calls()).toContain('operator namespace create --namespace default --retention 168h');
    expect(await readFile(join(folder, 'attributes'), 'utf8')).toBe(
      '  RestoreName  Keyword\n  BackupName  Keyword\n  RestorePhase  Keyword\n  RestoreErrors  Int\n  RestoreItems  Int\n',
    );
  });

  it('creates nothing the second time, and sets the retention', async () => {
    await temporal();
    await run('setup-namespace.sh', environment);
    const before = (await calls()).length;
    const { code } = await run('setup-namespace.sh', { ...environment, TEMPORAL_NAMESPACE_RETENTION: '240h' });
    expect(code).toBe(0);
    expect((await calls()).slice(before).filter((call) => !/describe|list|health|count/.test(call))).toEqual([
      'operator namespace update --namespace default --retention 240h',
    ]);
  });

  it('adds only the attribute that is missing', async () => {
    await temporal();
    await run('setup-namespace.sh', environment);
    const text = await readFile(join(folder, 'attributes'), 'utf8');
    await writeFile(join(folder, 'attributes'), text.replace('  RestorePhase  Keyword\n', ''));
    const before = (await calls()).length;
    expect((await run('setup-namespace.sh', environment)).code).toBe(0);
    expect((await calls()).slice(before).filter((call) => call.includes('search-attribute create'))).toEqual([
      'operator search-attribute create --namespace default --name RestorePhase --type Keyword',
    ]);
  });

  it('refuses an attribute of another type and names both types', async () => {
    await temporal();
    await writeFile(join(folder, 'attributes'), '  RestoreErrors  Keyword\n');
    const { code, errorTail } = await run('setup-namespace.sh', environment);
    expect(code).toBe(1);
    expect(errorTail).toEqual([
      "setup-namespace: search attribute RestoreErrors of namespace 'default' has type Keyword, expected Int",
    ]);
  });

  it('is not taken in by an attribute whose name only begins alike', async () => {
    await temporal();
    await writeFile(join(folder, 'attributes'), '  RestoreNameOld  Int\n');
    expect((await run('setup-namespace.sh', environment)).code).toBe(0);
    expect(await readFile(join(folder, 'attributes'), 'utf8')).toContain('  RestoreName  Keyword\n');
  });

  it('waits for a server that is not up yet', async () => {
    await temporal('[ "$*" != "operator cluster health" ] || [ "$seen" -ge 3 ] || exit 1');
    expect((await run('setup-namespace.sh', environment)).code).toBe(0);
  });

  it('goes on when another job has created the namespace in between', async () => {
    await temporal(`case "$*" in *'namespace create'*) touch "${folder}/namespace"; exit 1 ;; esac`);
    expect((await run('setup-namespace.sh', environment)).code).toBe(0);
    expect(await calls()).toContain('operator namespace update --namespace default --retention 168h');
  });

  it('waits until the server takes a query with every attribute', async () => {
    await temporal('case "$*" in *count*) [ "$seen" -ge 3 ] || exit 1 ;; esac');
    expect((await run('setup-namespace.sh', environment)).code).toBe(0);
    const query =
      'RestoreName IS NOT NULL AND BackupName IS NOT NULL AND RestorePhase IS NOT NULL' +
      ' AND RestoreErrors IS NOT NULL AND RestoreItems IS NOT NULL';
    const counts = (await calls()).filter((call) => call.startsWith('workflow count'));
    expect(counts).toEqual(Array<string>(3).fill(`workflow count --namespace default --query ${query}`));
  });

  it('gives the other services time only where it created something', async () => {
    await temporal();
    await standIn('sleep', '');
    await run('setup-namespace.sh', { ...environment, SETUP_SETTLE: '7' });
    expect((await calls()).filter((call) => call === '7')).toHaveLength(1);
    await run('setup-namespace.sh', { ...environment, SETUP_SETTLE: '7' });
    expect((await calls()).filter((call) => call === '7')).toHaveLength(1);
  });

  it('gives up on a server that does not answer and says which', async () => {
    await temporal('exit 1');
    const { code, errorTail } = await run('setup-namespace.sh', environment);
    expect(code).toBe(1);
    expect(errorTail).toEqual(['setup-namespace: the health check at temporal:7233 failed 3 times']);
  });

  it('asks for the address when it is not set', async () => {
    const { code, errorTail } = await run('setup-namespace.sh', { TEMPORAL_ADDRESS: '' });
    expect(code).not.toBe(0);
    expect(errorTail.join()).toContain('TEMPORAL_ADDRESS is not set');
  });
});

describe('searchAttributesOf', () => {
  it.each([
    ['no list', 'echo', 'expected a list'],
    ['a word without a type', "search_attributes='A=Int B'\n", '"B", expected NAME=TYPE'],
  ])('refuses %s', (_, script, message) => {
    expect(() => searchAttributesOf(script)).toThrow(message);
  });
});
