import { describe, expect, it } from '@jest/globals';
import {
  type BackupStorageLocation,
  parseStorageLocations,
  providerName,
  selectStorageLocation,
} from '../../../../domain/backup/storageLocation.ts';

const MANIFEST = `
apiVersion: velero.io/v1
kind: BackupStorageLocation
metadata:
  name: main
  namespace: velero-system
  labels: {a: b}
  resourceVersion: "12"
spec:
  provider: aws
  default: true
  accessMode: ReadOnly
  backupSyncPeriod: 1m0s
  objectStorage:
    bucket: backups
    prefix: prod
    caCert: LS0tQ0EtLS0K
  credential: {name: cloud, key: aws}
  config:
    region: eu-west-1
    s3ForcePathStyle: "true"
status:
  phase: Available
`;

function location(changes: Partial<BackupStorageLocation>): BackupStorageLocation {
  const [parsed] = parseStorageLocations('{"provider":"aws","objectStorage":{"bucket":"b"}}', 'test');
  return { ...parsed!, ...changes };
}

describe('parseStorageLocations', () => {
  it('reads a manifest as kubectl prints it', () => {
    expect(parseStorageLocations(MANIFEST, 'bsl.yaml')).toEqual([
      {
        name: 'main',
        namespace: 'velero-system',
        provider: 'aws',
        bucket: 'backups',
        prefix: 'prod',
        caCert: '---CA---\n',
        caCertRef: undefined,
        credential: { name: 'cloud', key: 'aws' },
        config: { region: 'eu-west-1', s3ForcePathStyle: 'true' },
        accessMode: 'ReadOnly',
        default: true,
      },
    ]);
  });

  it('reads a bare spec, here as JSON', () => {
    expect(parseStorageLocations('{"provider":"directory","objectStorage":{"bucket":"/b"}}', 'x')).toEqual([
      location({ provider: 'directory', bucket: '/b', name: 'default', namespace: 'velero' }),
    ]);
  });

  it('reads several documents and lists, and skips empty documents', () => {
    const list = `---\nkind: List\nitems:\n- ${JSON.stringify({
      apiVersion: 'velero.io/v1',
      kind: 'BackupStorageLocation',
      metadata: { name: 'second' },
      spec: { provider: 'aws', objectStorage: { bucket: 'b' } },
    })}\n---\n`;
    expect(parseStorageLocations(MANIFEST + list, 'x').map(({ name }) => name)).toEqual(['main', 'second']);
  });

  const spec = '{"provider":"aws","objectStorage":{"bucket":"b"}';
  it.each<[string, string, string]>([
    [
      'an unknown field',
      `${spec},"regoin":"x"}`,
      'regoin: unknown field (value "x"), expected one of the fields of a BackupStorageLocation: ',
    ],
    [
      'an unknown field inside',
      '{"provider":"aws","objectStorage":{"bucket":"b","Prefix":"p"}}',
      'objectStorage.Prefix: unknown field (value "p")',
    ],
    [
      'a secret where none belongs',
      `${spec},"secretAccessKey":"hunter2"}`,
      'secretAccessKey: unknown field (value a string)',
    ],
    [
      'a missing bucket',
      '{"provider":"aws","objectStorage":{}}',
      'objectStorage.bucket: found nothing, expected a string',
    ],
    [
      'an empty provider',
      '{"provider":"","objectStorage":{"bucket":"b"}}',
      'provider: found "", expected the name of an object store plugin',
    ],
    [
      'a config value that is no text',
      'provider: aws\nobjectStorage: {bucket: b}\nconfig: {s3ForcePathStyle: true}',
      'config.s3ForcePathStyle: found true, expected a string',
    ],
    ['a wrong access mode', `${spec},"accessMode":"rw"}`, 'accessMode: found "rw", expected "ReadWrite" or "ReadOnly"'],
    [
      'a CA that is no base64',
      '{"provider":"aws","objectStorage":{"bucket":"b","caCert":"-----BEGIN"}}',
      'objectStorage.caCert: found "-----BEGIN", expected base64 of a PEM bundle',
    ],
    [
      'another kind',
      '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"},"data":{}}',
      'kind: found "Secret", expected "BackupStorageLocation"',
    ],
    [
      'both CAs',
      '{"provider":"aws","objectStorage":{"bucket":"b","caCert":"YQ==","caCertRef":{"name":"a","key":"b"}}}',
      'cannot specify both caCert and caCertRef in objectStorage',
    ],
    ['a text', '"aws"', 'document: found "aws", expected an object'],
    ['nothing', '---\n', 'x.yaml: no BackupStorageLocation in it'],
    ['no YAML', 'provider: [aws\nobjectStorage: }', 'x.yaml: line 2: not YAML or JSON'],
    ['a key given twice', 'provider: aws\nprovider: gcp\n', 'x.yaml: line 2: not YAML or JSON (DUPLICATE_KEY)'],
    [
      'a name given twice',
      MANIFEST + '\n---' + MANIFEST,
      'x.yaml: metadata.name: found "main" twice, expected different names',
    ],
  ])('refuses %s', (_title, text, problem) => {
    expect(() => parseStorageLocations(text, 'x.yaml')).toThrow(
      expect.objectContaining({ type: 'InvalidStorageLocation', message: expect.stringContaining(problem) }),
    );
    expect(() => parseStorageLocations(text, 'x.yaml')).not.toThrow('hunter2');
  });

  it('says which of several documents is wrong', () => {
    expect(() => parseStorageLocations(`${MANIFEST}\n---\nprovider: aws\n`, 'x.yaml')).toThrow(
      'x.yaml, location 2: objectStorage: found nothing, expected an object',
    );
  });

  it('does not expand aliases without end', () => {
    const bomb = [
      'a: &a [x]',
      ...'bcdefghi'.split('').map((name, i) => `${name}: &${name} [${`*${'abcdefgh'[i]!},`.repeat(9)}]`),
    ];
    expect(() => parseStorageLocations(bomb.join('\n'), 'x.yaml')).toThrow('x.yaml: not YAML or JSON (an alias');
  });
});

describe('selectStorageLocation', () => {
  const [a, b] = [location({ name: 'a' }), location({ name: 'b' })];

  it.each<[string, BackupStorageLocation[], string | undefined, string]>([
    ['by name', [a, b], 'b', 'b'],
    ['the only one', [b], undefined, 'b'],
    ['the default one', [a, { ...b, default: true }], undefined, 'b'],
    ['the one called default', [a, location({ name: 'default' })], undefined, 'default'],
  ])('%s', (_title, locations, name, expected) => {
    expect(selectStorageLocation(locations, name).name).toBe(expected);
  });

  it.each<[string, string | undefined, string]>([
    ['unknown', 'c', 'no BackupStorageLocation "c", there are: a, b'],
    ['none is the default', undefined, 'none of the BackupStorageLocations a, b is the default one: name one'],
  ])('refuses: %s', (_title, name, message) => {
    expect(() => selectStorageLocation([a, b], name)).toThrow(message);
  });
});

describe('providerName', () => {
  it.each([
    ['aws', 'velero.io/aws'],
    ['velero.io/aws', 'velero.io/aws'],
    ['example.com/x', 'example.com/x'],
  ])('%s is %s', (provider, expected) => {
    expect(providerName(location({ provider }))).toBe(expected);
  });
});
