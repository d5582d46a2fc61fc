import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ServiceError, WorkflowFailedError, WorkflowNotFoundError } from '@temporalio/client';
import {
  ApplicationFailure,
  CancelledFailure,
  NamespaceNotFoundError,
  RetryState,
  TerminatedFailure,
} from '@temporalio/common';
import { InvalidTemporalConfig, loadTemporalConfig, requestHash } from '../../../client/index.ts';
import { addShards } from '../../../client/progress.ts';
import { parseRestoreWorkflowId } from '../../../client/restoreDescription.ts';
import { toRestoreEnd } from '../../../client/restoreEnd.ts';
import { checkCluster, toRestoreRequest } from '../../../client/restoreRequest.ts';
import { grpcFault, toClientError } from '../../../client/temporalErrors.ts';
import {
  defaultRestoreOptions,
  errorTypes,
  type RestoreProgress,
  restoreWorkflowId,
} from '../../../domain/contract.ts';
import { noCounters } from '../../../domain/results/counters.ts';

const restore = { name: 'copy', spec: { backupName: 'nightly', includedNamespaces: ['shop'] } };

describe('toRestoreRequest', () => {
  it('completes name space, uid, location and options', () => {
    const { input, memo } = toRestoreRequest('east', restore, 'made-here', { options: { shards: 2 } });
    expect(input).toEqual({
      cluster: 'east',
      restore: { ...restore, namespace: 'velero', uid: 'made-here' },
      storageLocation: 'default',
      options: { ...defaultRestoreOptions, shards: 2 },
      useSearchAttributes: true,
    });
    expect(memo).toMatchObject({ restoreUid: 'made-here', backupName: 'nightly', storageLocation: 'default' });
  });

  it('keeps the uid of a Restore object, and facts of the caller', () => {
    const { input, memo } = toRestoreRequest('east', { ...restore, uid: 'of-object' }, 'made-here', {
      memo: { who: 'me' },
    });
    expect(input.restore.uid).toBe('of-object');
    expect(memo).toMatchObject({ restoreUid: 'of-object', who: 'me' });
  });

  it('does not let a caller replace our own facts', () => {
    const { memo } = toRestoreRequest('east', restore, 'made-here', { memo: { restoreUid: 'forged' } });
    expect(memo.restoreUid).toBe('made-here');
  });

  it('names the schedule where there is no backup yet', () => {
    const { memo } = toRestoreRequest('east', { name: 'copy', spec: { scheduleName: 'daily' } }, 'u', {});
    expect(memo.backupName).toBe('newest of schedule daily');
  });

  it.each([
    ['Copy', 'name of the restore: found "Copy"'],
    ['', 'name of the restore: found ""'],
    ['a/b', 'name of the restore: found "a/b"'],
  ])('refuses the name %p', (name, message) => {
    expect(() => toRestoreRequest('east', { ...restore, name }, 'u', {})).toThrow(message);
  });

  it('tells everything that is wrong with a spec before anything is started', () => {
    const spec = {
      backupName: 'nightly',
      namespaceMapping: { shop: 'Not_A_Name' },
      existingResourcePolicy: 'none',
    } as const;
    expect(() => toRestoreRequest('east', { ...restore, spec }, 'u', {})).toThrow('"Not_A_Name"');
  });

  it.each([
    [{ shards: 0 }, 'shards: found 0'],
    [{ window: 2_000 }, 'window: found 2000'],
    [{ itemsPerActivity: 1.5 }, 'items per activity: found 1.5'],
  ])('refuses the options %p', (options, message) => {
    expect(() => toRestoreRequest('east', restore, 'u', { options })).toThrow(message);
  });
});

describe('requestHash', () => {
  const hash = (spec: object, start = {}): string => requestHash({ spec }, start);

  it('is the same for the same request, whatever the order of its fields', () => {
    expect(hash({ backupName: 'a', restorePVs: true })).toBe(hash({ restorePVs: true, backupName: 'a' }));
    expect(hash({ backupName: 'a' }, { options: {} })).toBe(hash({ backupName: 'a' }, { storageLocation: 'default' }));
  });

  it.each([
    ['another backup', { backupName: 'b' }, {}],
    ['another location', { backupName: 'a' }, { storageLocation: 'b' }],
    ['another option', { backupName: 'a' }, { options: { order: 'strict' } }],
    ['another order of a list', { backupName: 'a', includedNamespaces: ['y', 'x'] }, {}],
  ])('tells %s apart', (_, spec, start) => {
    const base = { backupName: 'a', ...(_.includes('list') ? { includedNamespaces: ['x', 'y'] } : {}) };
    expect(hash(spec, start)).not.toBe(hash(base));
  });
});

describe('checkCluster', () => {
  it.each(['default', 'eu-west-1', 'A.b_c'])('takes %s', (cluster) => {
    checkCluster(cluster);
  });

  it.each(['', 'a/b', "a' OR '1", '-a', 'x'.repeat(101)])('refuses %p', (cluster) => {
    expect(() => {
      checkCluster(cluster);
    }).toThrow('cluster: found');
  });
});

describe('parseRestoreWorkflowId', () => {
  it('reads what restoreWorkflowId makes', () => {
    const id = restoreWorkflowId('east', 'velero', 'copy');
    expect(parseRestoreWorkflowId(id)).toEqual({ cluster: 'east', namespace: 'velero', name: 'copy' });
  });

  it.each([
    'restore/east/velero',
    'restore/east/velero/copy/00000000',
    'other/east/velero/copy',
    'restore//velero/copy',
  ])('knows that %s is none', (id) => {
    expect(parseRestoreWorkflowId(id)).toBeUndefined();
  });
});

function failed(cause: Error | undefined): WorkflowFailedError {
  return new WorkflowFailedError('Workflow execution failed', cause, RetryState.NON_RETRYABLE_FAILURE);
}

describe('toRestoreEnd', () => {
  it('FailedValidation carries every reason', () => {
    const validationErrors = ['no such backup', 'bad mapping'];
    const cause = ApplicationFailure.nonRetryable('no such backup\nbad mapping', errorTypes.FailedValidation, {
      validationErrors,
    });
    expect(toRestoreEnd('copy', failed(cause))).toMatchObject({ type: 'RestoreValidationFailed', validationErrors });
  });

  it('RestoreFailed carries reason and status', () => {
    const status = { phase: 'Failed', failureReason: 'no gzip' };
    const cause = ApplicationFailure.nonRetryable('no gzip', errorTypes.RestoreFailed, { status });
    expect(toRestoreEnd('copy', failed(cause))).toMatchObject({ type: 'RestoreFailed', reason: 'no gzip', status });
  });

  it.each<[string, Error | undefined, string]>([
    ['cancelled', new CancelledFailure('Workflow canceled'), 'RestoreCancelled'],
    ['terminated', new TerminatedFailure('by an operator'), 'RestoreTerminated'],
    ['failed for a reason of its own', ApplicationFailure.nonRetryable('x', 'WorkStore'), 'RestoreFailed'],
    ['failed without a cause', undefined, 'RestoreTerminated'],
  ])('%s', (_, cause, type) => {
    expect(toRestoreEnd('copy', failed(cause))).toMatchObject({ type });
  });

  it('is undefined for what is no end of a workflow', () => {
    expect(toRestoreEnd('copy', new Error('connection lost'))).toBeUndefined();
  });
});

const root: RestoreProgress = {
  phase: 'InProgress',
  step: 'restoring pods',
  totalItems: 100,
  counters: { ...noCounters, created: 10, warnings: 1 },
  waves: [
    { name: 'namespaces', total: 10, done: 10, failed: 0 },
    { name: 'pods', total: 90, done: 0, failed: 0 },
  ],
  runningShards: ['a', 'b'],
  pace: { paused: false, maxInFlight: 0 },
  startTimestamp: undefined,
};

describe('addShards', () => {
  it('adds what running shards have done to the whole and to the wave they are of', () => {
    const shards = [
      { ...noCounters, created: 20, failed: 1, errors: 1 },
      { ...noCounters, skipped: 5 },
    ];
    const report = addShards(root, shards, []);
    expect(report).toMatchObject({
      itemsDone: 36,
      counters: { created: 30, skipped: 5, failed: 1, warnings: 1, errors: 1 },
    });
    expect(report.waves).toEqual([root.waves[0], { name: 'pods', total: 90, done: 26, failed: 1 }]);
  });

  it('is the root’s own progress where no shard runs', () => {
    expect(addShards(root, [], [])).toEqual({ ...root, itemsDone: 10, troubles: [] });
  });

  it('names troubles once, the most common first', () => {
    expect(addShards(root, [], ['store is down', 'api is down', 'api is down']).troubles).toEqual([
      'api is down',
      'store is down',
    ]);
  });
});

describe('temporalConfig', () => {
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
});

/** What @grpc/grpc-js throws. */
class GrpcError extends Error {
  readonly metadata = {};
  constructor(
    readonly code: number,
    readonly details: string,
  ) {
    super(`${code}: ${details}`);
  }
}

const target = { address: 'temporal:7233', namespace: 'prod' };

function wrapped(code: number, details: string): ServiceError {
  return new ServiceError('Failed to start Workflow', { cause: new GrpcError(code, details) });
}

describe('toClientError', () => {
  it.each<[string, Error, string, string]>([
    ['a deadline', wrapped(4, 'Deadline exceeded after 10s'), 'TemporalUnreachable', 'no answer in time'],
    [
      'a refused connection',
      wrapped(
        14,
        'No connection established. Last error: Error: connect ECONNREFUSED 10.0.0.1:7233. Resolution note: x',
      ),
      'TemporalUnreachable',
      'Temporal server temporal:7233 cannot be reached: connect ECONNREFUSED 10.0.0.1:7233',
    ],
    [
      'a bad API key',
      wrapped(16, 'Request unauthorized.'),
      'TemporalAccessDenied',
      'namespace "prod": Request unauthorized',
    ],
    ['a missing permission', wrapped(7, 'Forbidden'), 'TemporalAccessDenied', 'refused access'],
    ['a missing namespace', new NamespaceNotFoundError('prod'), 'TemporalNamespaceNotFound', 'has no namespace "prod"'],
    [
      'anything else',
      wrapped(3, 'BlobSizeLimitError\nmore'),
      'TemporalRequestFailed',
      'refused the request: BlobSizeLimitError',
    ],
  ])('%s', (_, error, type, message) => {
    const translated = toClientError(error, target);
    expect(translated).toMatchObject({ type, name: type });
    expect(translated.message).toContain(message);
    expect(translated.message).not.toContain('\n');
  });

  it('passes on what is no answer of the server', () => {
    const own = new TypeError('x');
    expect(toClientError(own, target)).toBe(own);
    const translated = toClientError(wrapped(4, ''), target);
    expect(toClientError(translated, target)).toBe(translated);
  });
});

describe('grpcFault', () => {
  it('finds the answer inside the errors around it', () => {
    expect(grpcFault(new Error('outer', { cause: wrapped(5, 'not found') }))).toEqual({
      code: 5,
      details: 'not found',
    });
    expect(grpcFault(new WorkflowNotFoundError('x', 'id', undefined))).toBeUndefined();
    expect(grpcFault('text')).toBeUndefined();
  });
});
