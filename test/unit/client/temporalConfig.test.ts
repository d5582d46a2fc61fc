import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { InvalidTemporalConfig, loadTemporalConfig } from '../../../client/index.ts';

const before = { ...process.env };
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'temporal-config-'));
  for (const name of Object.keys(process.env))
    if (name.startsWith('TEMPORAL_')) Reflect.deleteProperty(process.env, name);
  process.env['TEMPORAL_CONFIG_FILE'] = join(directory, 'temporal.toml');
});

afterEach(async () => {
  for (const name of Object.keys(process.env)) if (!(name in before)) Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, before);
  await rm(directory, { recursive: true, force: true });
});

async function profiles(): Promise<void> {
  await writeFile(
    join(directory, 'temporal.toml'),
    '[profile.default]\naddress = "file:7233"\nnamespace = "of-file"\n[profile.prod]\naddress = "prod:7233"\napi_key = "secret"\n',
  );
}

describe('loadTemporalConfig', () => {
  it('has Temporal’s own defaults', () => {
    expect(loadTemporalConfig()).toEqual({ address: 'localhost:7233', namespace: 'default' });
  });

  it('puts options before the environment, and that before the profile', async () => {
    await profiles();
    expect(loadTemporalConfig()).toEqual({ address: 'file:7233', namespace: 'of-file' });
    process.env['TEMPORAL_ADDRESS'] = 'environment:7233';
    expect(loadTemporalConfig().address).toBe('environment:7233');
    expect(loadTemporalConfig({ address: 'option:7233' }).address).toBe('option:7233');
  });

  it('chooses a profile; an API key switches TLS on', async () => {
    await profiles();
    expect(loadTemporalConfig({ profile: 'prod' })).toMatchObject({
      address: 'prod:7233',
      apiKey: 'secret',
      tls: true,
    });
    process.env['TEMPORAL_PROFILE'] = 'prod';
    expect(loadTemporalConfig().address).toBe('prod:7233');
  });

  it('reads certificates for mTLS', async () => {
    await writeFile(join(directory, 'client.pem'), 'certificate');
    await writeFile(join(directory, 'client.key'), 'key');
    process.env['TEMPORAL_TLS_CLIENT_CERT_PATH'] = join(directory, 'client.pem');
    process.env['TEMPORAL_TLS_CLIENT_KEY_PATH'] = join(directory, 'client.key');
    const { tls } = loadTemporalConfig();
    const { crt } = (tls as { clientCertPair: { crt: Uint8Array } }).clientCertPair;
    expect(Buffer.from(crt).toString()).toBe('certificate');
  });

  it.each(['localhost', 'https://cloud.example.com:7233', 'a b:1', ''])('refuses the address %p', (address) => {
    expect(() => loadTemporalConfig({ address })).toThrow(
      `Temporal address: found ${JSON.stringify(address)}, expected host:port`,
    );
  });

  it('refuses a profile that is not there, by its name', async () => {
    await profiles();
    expect(() => loadTemporalConfig({ profile: 'nope' })).toThrow(InvalidTemporalConfig);
    expect(() => loadTemporalConfig({ profile: 'nope' })).toThrow("'nope'");
  });

  it('refuses a file that is no TOML', async () => {
    await writeFile(join(directory, 'temporal.toml'), '[profile');
    expect(() => loadTemporalConfig()).toThrow('settings of the Temporal connection cannot be used');
  });

  it('never shows the API key', async () => {
    await profiles();
    await writeFile(
      join(directory, 'temporal.toml'),
      '[profile.default]\naddress = "no-port"\napi_key = "very-secret"\n',
    );
    const thrown = (() => {
      try {
        return loadTemporalConfig();
      } catch (error) {
        return String(error);
      }
    })();
    expect(thrown).toContain('no-port');
    expect(thrown).not.toContain('very-secret');
  });
});
