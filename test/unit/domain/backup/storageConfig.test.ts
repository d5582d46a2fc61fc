import { describe, expect, it } from '@jest/globals';
import { directoryConfig, s3Config, storeKind } from '../../../../domain/backup/storageConfig.ts';
import { type BackupStorageLocation, readStorageLocation } from '../../../../domain/backup/storageLocation.ts';

function location(changes: Partial<BackupStorageLocation> = {}): BackupStorageLocation {
  return { ...readStorageLocation({ provider: 'aws', objectStorage: { bucket: 'b' } }, 'test'), ...changes };
}

function withConfig(config: Record<string, string>): BackupStorageLocation {
  return location({ config });
}

describe('s3Config', () => {
  it('gives the defaults of Velero’s plugin', () => {
    expect(s3Config(location())).toEqual({
      bucket: 'b',
      prefix: '',
      region: undefined,
      s3Url: undefined,
      forcePathStyle: false,
      insecureSkipTLSVerify: false,
      caCert: undefined,
      profile: undefined,
      credentialsFile: undefined,
      kmsKeyId: undefined,
      customerKey: undefined,
      serverSideEncryption: undefined,
      tagging: undefined,
      checksumAlgorithm: 'CRC32',
    });
  });

  it('reads every key that concerns reading and writing', () => {
    const config = {
      region: 'eu-west-1',
      s3Url: 'https://s3.example.com:9000/x',
      publicUrl: 'http://p',
      s3ForcePathStyle: 'true',
      insecureSkipTLSVerify: '1',
      caCert: 'PEM',
      profile: 'p',
      credentialsFile: '/c',
      kmsKeyId: 'k',
      serverSideEncryption: 'AES256',
      tagging: 'a=1&b=',
      checksumAlgorithm: 'SHA256',
      signatureVersion: '4',
      enableSharedConfig: 'true',
      bucket: 'ignored',
      prefix: 'ignored',
    };
    expect(s3Config(location({ config, prefix: '/x/y/' }))).toEqual({
      bucket: 'b',
      prefix: 'x/y/',
      region: 'eu-west-1',
      s3Url: 'https://s3.example.com:9000/x',
      forcePathStyle: true,
      insecureSkipTLSVerify: true,
      caCert: 'PEM',
      profile: 'p',
      credentialsFile: '/c',
      kmsKeyId: 'k',
      customerKey: undefined,
      serverSideEncryption: 'AES256',
      tagging: 'a=1&b=',
      checksumAlgorithm: 'SHA256',
    });
  });

  it.each<[string, boolean]>([
    ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((text): [string, boolean] => [text, true]),
    ...['0', 'f', 'F', 'FALSE', 'false', 'False', ''].map((text): [string, boolean] => [text, false]),
  ])('reads the boolean %j as %s', (text, expected) => {
    expect(s3Config(withConfig({ s3ForcePathStyle: text })).forcePathStyle).toBe(expected);
    expect(s3Config(withConfig({ insecureSkipTLSVerify: text })).insecureSkipTLSVerify).toBe(expected);
  });

  it.each<[string, string, string]>([
    ['plain', 'b', 'b'],
    ['slashes around it', '/b/', 'b'],
    ['an access point', 'arn:aws:s3:eu-west-1:1:accesspoint/x', 'arn:aws:s3:eu-west-1:1:accesspoint/x'],
  ])('bucket: %s', (_title, bucket, expected) => {
    expect(s3Config(location({ bucket })).bucket).toBe(expected);
  });

  it.each<[string, string]>([
    ['', ''],
    ['/', ''],
    ['a', 'a/'],
    ['//a/b//', 'a/b/'],
  ])('prefix %j becomes %j', (prefix, expected) => {
    expect(s3Config(location({ prefix })).prefix).toBe(expected);
  });

  it('takes no checksum for an empty text', () => {
    expect(s3Config(withConfig({ checksumAlgorithm: '' })).checksumAlgorithm).toBeUndefined();
  });

  it('reads where a customer key is', () => {
    expect(s3Config(withConfig({ customerKeyEncryptionFile: '/k' })).customerKey).toEqual({ kind: 'file', path: '/k' });
    expect(s3Config(withConfig({ customerKeyEncryptionSecret: 'n/k' })).customerKey).toEqual({
      kind: 'secret',
      name: 'n',
      key: 'k',
    });
  });

  it('prefers the CA of objectStorage', () => {
    expect(s3Config(location({ caCert: 'A', config: { caCert: 'B' } })).caCert).toBe('A');
  });

  it.each<[string, Record<string, string>, string]>([
    [
      'unknown keys',
      { region: 'x', zone: 'z', Region: 'y' },
      'config has invalid keys [Region zone]; valid keys are [region s3Url publicUrl ',
    ],
    ['inherited names', { constructor: 'x' }, 'config has invalid keys [constructor]'],
    [
      'a boolean',
      { s3ForcePathStyle: 'yes' },
      'config.s3ForcePathStyle: found "yes", expected one of 1 t T TRUE true True 0 f F FALSE false False',
    ],
    [
      'a URL without scheme',
      { s3Url: 'minio:9000' },
      'config.s3Url: found "minio:9000", expected a URL that starts with http:// or https://',
    ],
    ['a URL of another scheme', { s3Url: 'ftp://x' }, 'config.s3Url: found "ftp://x", expected a URL'],
    ['a public URL', { publicUrl: 'x' }, 'config.publicUrl: found "x", expected a URL'],
    [
      'two keys',
      { kmsKeyId: 'a', customerKeyEncryptionFile: 'b' },
      'config.kmsKeyId, config.customerKeyEncryptionFile: expected at most one of them',
    ],
    [
      'two customer keys',
      { customerKeyEncryptionSecret: 'a/b', customerKeyEncryptionFile: 'b' },
      'expected at most one of them',
    ],
    [
      'a Secret without key',
      { customerKeyEncryptionSecret: 'a' },
      'config.customerKeyEncryptionSecret: found "a", expected secretName/key',
    ],
    ['one tag', { tagging: 'a=1' }, 'config.tagging: found "a=1", expected 2 to 10 pairs k=v joined by &'],
    ['eleven tags', { tagging: Array.from({ length: 11 }, (_x, i) => `k${i}=v`).join('&') }, 'expected 2 to 10 pairs'],
    ['a tag without value', { tagging: 'a=1&b' }, 'config.tagging: found "a=1&b"'],
    [
      'a checksum',
      { checksumAlgorithm: 'crc32' },
      'config.checksumAlgorithm: found "crc32", expected one of CRC32, CRC32C, SHA1, SHA256, CRC64NVME or an empty text',
    ],
  ])('refuses %s', (_title, config, problem) => {
    expect(() => s3Config(withConfig(config))).toThrow(
      expect.objectContaining({
        type: 'InvalidConfiguration',
        retryable: false,
        message: expect.stringContaining(problem),
      }),
    );
  });

  it('does not show a password in a URL', () => {
    const config = { s3Url: 'https://user:hunter2@s3.example.com' };
    expect(() => s3Config(withConfig(config))).toThrow(/config\.s3Url: holds a user name or password/);
    expect(() => s3Config(withConfig(config))).not.toThrow('hunter2');
  });

  it.each(['a/b', '/a/b/', '/'])('refuses the bucket %j', (bucket) => {
    expect(() => s3Config(location({ bucket }))).toThrow(
      "must not contain a '/' (if using a prefix, put it in the 'Prefix' field",
    );
  });
});

describe('directoryConfig', () => {
  it('takes an absolute path and a prefix', () => {
    expect(directoryConfig(location({ bucket: '/srv/velero', prefix: 'a/b' }))).toEqual({
      path: '/srv/velero',
      prefix: 'a/b/',
    });
  });

  it.each<[string, Partial<BackupStorageLocation>, string]>([
    [
      'a relative path',
      { bucket: 'backups' },
      'objectStorage.bucket: found "backups", expected the absolute path of a directory',
    ],
    [
      'a prefix that leaves it',
      { bucket: '/a', prefix: '../b' },
      'objectStorage.prefix: found "../b/", expected a path below the bucket',
    ],
    ['a prefix with a dot', { bucket: '/a', prefix: 'x/./b' }, 'objectStorage.prefix'],
    ['an empty segment', { bucket: '/a', prefix: 'x//b' }, 'objectStorage.prefix'],
    ['config', { bucket: '/a', config: { region: 'x' } }, 'config has invalid keys [region]; valid keys are []'],
  ])('refuses %s', (_title, changes, problem) => {
    expect(() => directoryConfig(location(changes))).toThrow(problem);
  });
});

describe('storeKind', () => {
  it.each([
    ['aws', 's3'],
    ['velero.io/aws', 's3'],
    ['directory', 'directory'],
  ])('%s is %s', (provider, expected) => {
    expect(storeKind(location({ provider }))).toBe(expected);
  });

  it.each(['gcp', 'azure', 'example.com/aws'])('says that %s needs its plugin', (provider) => {
    expect(() => storeKind(location({ provider }))).toThrow(
      `spec.provider: found "${provider}", which needs its Velero plugin; expected aws (S3) or directory`,
    );
  });
});
