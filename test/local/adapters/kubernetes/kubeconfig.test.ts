import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { loadKubeconfig } from '../../../../adapters/kubernetes/kubeconfig.ts';
import { KubeconfigError } from '../../../../adapters/kubernetes/kubeconfigFiles.ts';
import { kubeconfigFor, type TemporaryFolder, temporaryFolder } from './localServer.ts';

/** Importing client-node takes a while on a busy machine. */
jest.setTimeout(60_000);

let folder: TemporaryFolder;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder.remove());

const twoContexts = JSON.stringify({
  'current-context': 'one',
  clusters: [
    { name: 'a', cluster: { server: 'https://a.example' } },
    { name: 'b', cluster: { server: 'https://b.example:6443/k8s/clusters/c-1/' } },
  ],
  users: [{ name: 'u', user: { token: 'secret-token' } }],
  contexts: [
    { name: 'one', context: { cluster: 'a', user: 'u' } },
    { name: 'two', context: { cluster: 'b', user: 'u' } },
    { name: 'lost-cluster', context: { cluster: 'nowhere', user: 'u' } },
    { name: 'lost-user', context: { cluster: 'a', user: 'nobody' } },
    { name: 'anonymous', context: { cluster: 'a' } },
  ],
});

describe('loadKubeconfig: which cluster', () => {
  it('takes the current context of the file that is named', async () => {
    const kubeconfig = await folder.write('config', twoContexts);

    const config = await loadKubeconfig({ kubeconfig });

    expect(config.server.href).toBe('https://a.example/');
  });

  it('takes the context that is named, with its path prefix', async () => {
    const kubeconfig = await folder.write('config', twoContexts);

    const config = await loadKubeconfig({ kubeconfig, context: 'two' });

    expect(config.server.href).toBe('https://b.example:6443/k8s/clusters/c-1/');
  });

  it('takes the files of KUBECONFIG, the first entry of a name, and leaves out files that are not there', async () => {
    const first = await folder.write('first', kubeconfigFor('https://first.example'));
    const second = await folder.write('second', kubeconfigFor('https://second.example'));
    const environment = { KUBECONFIG: [join(folder.path, 'missing'), first, second].join(':') };

    const config = await loadKubeconfig({ environment });

    expect(config.server.href).toBe('https://first.example/');
  });

  it('finds a context, its cluster and its user in different files of KUBECONFIG', async () => {
    const context = JSON.stringify({ contexts: [{ name: 'c', context: { cluster: 'a', user: 'u' } }] });
    const files = [await folder.write('context', context), await folder.write('rest', twoContexts)];

    const config = await loadKubeconfig({ environment: { KUBECONFIG: files.join(':') }, context: 'c' });

    expect((await config.credentials()).headers).toEqual({ Authorization: 'Bearer secret-token' });
  });

  it('takes the file in the home folder where KUBECONFIG is not set', async () => {
    await mkdir(join(folder.path, '.kube'));
    await folder.write('.kube/config', kubeconfigFor('https://home.example'));

    const config = await loadKubeconfig({ environment: { HOME: folder.path } });

    expect(config.server.href).toBe('https://home.example/');
  });

  it.each([
    ['no-such', 'context is "no-such", expected one of: one, two, lost-cluster, lost-user, anonymous'],
    ['lost-cluster', 'context "lost-cluster" names cluster "nowhere", which is not there'],
    ['lost-user', 'context "lost-user" names user "nobody", which is not there'],
  ])('says what is wrong with context %s', async (context, message) => {
    const kubeconfig = await folder.write('config', twoContexts);

    await expect(loadKubeconfig({ kubeconfig, context })).rejects.toThrow(`kubeconfig ${kubeconfig}: ${message}`);
  });

  it.each([
    ['no current context', '{}', 'no current-context, expected one or a context by name (there are none)'],
    ['another document', '"text"', 'expected object'],
    ['a field of the wrong type', '{"clusters":[{"name":"a","cluster":{"server":5}}]}', 'clusters.0.cluster.server: '],
    ['no YAML', 'token: "secret-token', 'is no YAML, expected a kubeconfig file (kind Config)'],
    ['a server that is no URL', kubeconfigFor('nowhere'), 'server is "nowhere", expected an https:// or http:// URL'],
  ])('refuses a file with %s and shows nothing secret of it', async (_what, content, message) => {
    const kubeconfig = await folder.write('config', content);

    const error: unknown = await loadKubeconfig({ kubeconfig }).catch((caught: unknown) => caught);

    expect(error).toBeInstanceOf(KubeconfigError);
    expect(String(error)).toContain(message);
    expect(String(error)).not.toContain('secret-token');
  });

  it('names the file that is not there', async () => {
    const kubeconfig = join(folder.path, 'missing');

    await expect(loadKubeconfig({ kubeconfig })).rejects.toThrow(`no kubeconfig file: looked for ${kubeconfig}`);
  });

  it('says where it has looked when there is nothing at all', async () => {
    const environment = { HOME: folder.path };

    await expect(loadKubeconfig({ environment })).rejects.toThrow(
      `no kubeconfig file: looked for ${join(folder.path, '.kube', 'config')}; and this is no pod with a service account`,
    );
    await expect(loadKubeconfig({ environment, context: 'x' })).rejects.toThrow('expected context "x"');
  });
});

describe('loadKubeconfig: credentials', () => {
  const base64 = (content: string): string => Buffer.from(content).toString('base64');

  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['a token', { token: 't' }, { Authorization: 'Bearer t' }],
    ['a name and a password', { username: 'u', password: 'p' }, { Authorization: `Basic ${base64('u:p')}` }],
    ['nothing', {}, {}],
    ['a user to act as', { token: 't', as: 'jane' }, { Authorization: 'Bearer t', 'Impersonate-User': 'jane' }],
    [
      'groups, uid and extra to act as',
      { as: 'jane', 'as-uid': '7', 'as-groups': ['a', 'b'], 'as-user-extra': { 'example.com/scope': ['x', 'y'] } },
      {
        'Impersonate-User': 'jane',
        'Impersonate-Uid': '7',
        'Impersonate-Group': ['a', 'b'],
        'Impersonate-Extra-example.com%2Fscope': ['x', 'y'],
      },
    ],
  ])('proves itself with %s', async (_what, user, headers) => {
    const kubeconfig = await folder.write('config', kubeconfigFor('https://a.example', { user }));

    const credentials = await (await loadKubeconfig({ kubeconfig })).credentials();

    expect(credentials.headers).toEqual(headers);
  });

  it('reads certificates from data and from files named relative to the kubeconfig; data wins', async () => {
    await folder.write('ca.crt', 'ca of the file');
    await folder.write('key.pem', 'key of the file');
    const kubeconfig = await folder.write(
      'config',
      kubeconfigFor('https://a.example', {
        cluster: { 'certificate-authority': 'ca.crt', 'tls-server-name': 'kubernetes' },
        user: {
          'client-certificate': 'missing.crt',
          'client-certificate-data': base64('certificate of the data'),
          'client-key': 'key.pem',
        },
      }),
    );

    const { tls } = await (await loadKubeconfig({ kubeconfig })).credentials();

    expect(tls.ca?.toString()).toBe('ca of the file');
    expect(tls.cert?.toString()).toBe('certificate of the data');
    expect(tls.key?.toString()).toBe('key of the file');
    expect(tls.servername).toBe('kubernetes');
    expect(tls.rejectUnauthorized).toBeUndefined();
  });

  it('keeps the certificate authority of a cluster that is used without a user', async () => {
    const kubeconfig = await folder.write(
      'config',
      JSON.stringify({
        'current-context': 'c',
        clusters: [{ name: 'a', cluster: { server: 'https://a.example', 'certificate-authority-data': base64('ca') } }],
        users: null,
        contexts: [{ name: 'c', context: { cluster: 'a' } }],
      }),
    );

    const { tls, headers } = await (await loadKubeconfig({ kubeconfig })).credentials();

    expect(tls.ca?.toString()).toBe('ca');
    expect(headers).toEqual({});
  });

  it('reads a token file named relative to the kubeconfig', async () => {
    await folder.write('token', 'token of the file');
    const user = { tokenFile: 'token', token: 'token of the kubeconfig' };
    const kubeconfig = await folder.write('config', kubeconfigFor('https://a.example', { user }));

    const { headers } = await (await loadKubeconfig({ kubeconfig })).credentials();

    expect(headers).toEqual({ Authorization: 'Bearer token of the file' });
  });

  it('skips verification only where the kubeconfig says so, and takes the proxy', async () => {
    const cluster = { 'insecure-skip-tls-verify': true, 'proxy-url': 'http://proxy.example:3128' };
    const kubeconfig = await folder.write('config', kubeconfigFor('https://a.example', { cluster }));

    const config = await loadKubeconfig({ kubeconfig });

    expect(config.proxyUrl).toBe('http://proxy.example:3128');
    expect((await config.credentials()).tls.rejectUnauthorized).toBe(false);
  });
});

describe('loadKubeconfig: credential plugins', () => {
  async function withPlugin(script: string, exec: Record<string, unknown> = {}): Promise<string> {
    await folder.write('plugin', `#!/bin/sh\n${script}\n`, 0o700);
    const user = { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: './plugin', ...exec } };
    const cluster = { 'certificate-authority-data': Buffer.from('ca').toString('base64') };
    return folder.write('config', kubeconfigFor('https://a.example', { cluster, user }));
  }

  it('runs the plugin beside the kubeconfig and tells it which cluster it is for', async () => {
    const kubeconfig = await withPlugin(
      `echo "$KUBERNETES_EXEC_INFO" > ${folder.path}/info; echo '{"status":{"token":"from-'$NAME'-'$1'"}}'`,
      { args: ['argument'], env: [{ name: 'NAME', value: 'plugin' }], provideClusterInfo: true },
    );

    const { headers } = await (await loadKubeconfig({ kubeconfig })).credentials();

    expect(headers).toEqual({ Authorization: 'Bearer from-plugin-argument' });
    expect(JSON.parse(await readFile(join(folder.path, 'info'), 'utf8'))).toEqual({
      kind: 'ExecCredential',
      apiVersion: 'client.authentication.k8s.io/v1',
      spec: {
        interactive: false,
        cluster: { server: 'https://a.example', 'certificate-authority-data': Buffer.from('ca').toString('base64') },
      },
    });
  });

  it.each([
    ['fails', 'echo "login first" >&2; exit 1', 'login first'],
    ['fails in silence', 'exit 1', 'failed without a message'],
    ['writes no JSON', 'echo hello', 'is not valid JSON'],
  ])('says so where the plugin %s, with the hint of how to install it', async (_what, script, message) => {
    const kubeconfig = await withPlugin(script, { installHint: 'install it so' });

    const credentials = (await loadKubeconfig({ kubeconfig })).credentials();

    await expect(credentials).rejects.toThrow(`credential plugin ${join(folder.path, 'plugin')}: `);
    await expect(credentials).rejects.toThrow(message);
    await expect(credentials).rejects.toThrow('(install it so)');
  });

  it('names a plugin that is not installed', async () => {
    const user = { exec: { command: 'no-such-credential-plugin' } };
    const kubeconfig = await folder.write('config', kubeconfigFor('https://a.example', { user }));

    await expect((await loadKubeconfig({ kubeconfig })).credentials()).rejects.toThrow(
      'credential plugin no-such-credential-plugin: spawn no-such-credential-plugin ENOENT',
    );
  });
});
