import { describe, expect, it } from '@jest/globals';
import { jobAction } from '../../../../domain/actions/job.ts';
import { podAction } from '../../../../domain/actions/pod.ts';
import { secretAction } from '../../../../domain/actions/secret.ts';
import { serviceAccountAction } from '../../../../domain/actions/serviceAccount.ts';
import type { Json, JsonObject } from '../../../../domain/json.ts';
import { runAction } from './runAction.ts';

const UIDS = { 'controller-uid': '6224', 'batch.kubernetes.io/controller-uid': '6224' };

describe('velero.io/job', () => {
  it.each<[string, JsonObject, JsonObject]>([
    [
      'both uid labels go from selector and template, others stay',
      {
        selector: { matchLabels: { ...UIDS, app: 'load' } },
        template: { metadata: { labels: { ...UIDS, 'job-name': 'load', 'batch.kubernetes.io/job-name': 'load' } } },
      },
      {
        selector: { matchLabels: { app: 'load' } },
        template: { metadata: { labels: { 'job-name': 'load', 'batch.kubernetes.io/job-name': 'load' } } },
      },
    ],
    [
      'empty labels are left out, the selector stays',
      { selector: { matchLabels: { ...UIDS } }, template: { metadata: { labels: { ...UIDS } } } },
      { selector: {}, template: { metadata: {} } },
    ],
    [
      'manualSelector and matchExpressions stay',
      { manualSelector: true, selector: { matchExpressions: [{ key: 'controller-uid', operator: 'Exists' }] } },
      { manualSelector: true, selector: { matchExpressions: [{ key: 'controller-uid', operator: 'Exists' }] } },
    ],
    ['no selector', { template: { metadata: { labels: UIDS } } }, { template: { metadata: {} } }],
    ['no labels', { selector: {}, template: { metadata: {} } }, { selector: {}, template: { metadata: {} } }],
    ['no template', { parallelism: 2 }, { parallelism: 2 }],
  ])('%s', async (_, spec, expected) => {
    // The labels of the Job itself stay, even the uid.
    const metadata: JsonObject = { name: 'load', namespace: 'data', labels: { 'controller-uid': '6224' } };
    const output = await runAction(jobAction, { kind: 'Job', metadata, spec });
    expect(output.item).toEqual({ kind: 'Job', metadata, spec: expected });
    expect(output.additionalItems).toEqual([]);
  });

  it('refuses labels that are no object', async () => {
    await expect(runAction(jobAction, { spec: { template: { metadata: { labels: 'a=b' } } } })).rejects.toThrow(
      'spec.template.metadata.labels: expected an object, found a string',
    );
  });
});

function pod(spec: JsonObject): JsonObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'shop', name: 'web' }, spec };
}

const TOKEN = { name: 'web-token-x7x', secret: { secretName: 'web-token-x7x' } };
const DATA = { name: 'data', emptyDir: {} };
const PROJECTED = { name: 'kube-api-access-4f', projected: { sources: [] } };
const mount = (name: string): JsonObject => ({ name, mountPath: `/${name}` });

describe('velero.io/pod', () => {
  it.each<[string, JsonObject, JsonObject]>([
    ['nodeName and priority go', { nodeName: 'n1', priority: 5, schedulerName: 's' }, { schedulerName: 's' }],
    ['priority 0 goes', { priority: 0 }, {}],
    ['priorityClassName stays', { priorityClassName: 'urgent' }, { priorityClassName: 'urgent' }],
    [
      'token volumes of the service account go, projected tokens stay',
      { serviceAccountName: 'web', volumes: [TOKEN, DATA, PROJECTED] },
      { serviceAccountName: 'web', volumes: [DATA, PROJECTED] },
    ],
    [
      'token volumes of other accounts stay',
      { serviceAccountName: 'other', volumes: [TOKEN] },
      { serviceAccountName: 'other', volumes: [TOKEN] },
    ],
    [
      'without a service account the prefix is -token-',
      { volumes: [TOKEN, { name: '-token-abc', emptyDir: {} }] },
      { volumes: [TOKEN] },
    ],
    [
      'the old field serviceAccount does not count',
      { serviceAccount: 'web', volumes: [TOKEN] },
      { serviceAccount: 'web', volumes: [TOKEN] },
    ],
    [
      'a list of volumes that becomes empty is left out',
      { serviceAccountName: 'web', volumes: [TOKEN] },
      { serviceAccountName: 'web' },
    ],
    ['a list of volumes that was empty stays', { volumes: [] }, { volumes: [] }],
    [
      'mounts of token volumes go in containers and init containers',
      {
        serviceAccountName: 'web',
        volumes: [DATA, TOKEN],
        containers: [
          { name: 'a', volumeMounts: [mount('data'), mount('web-token-x7x')] },
          { name: 'b', volumeMounts: [mount('web-token-x7x')] },
          { name: 'c' },
        ],
        initContainers: [{ name: 'i', image: 'x', volumeMounts: [mount('web-token-x7x'), mount('data')] }],
      },
      {
        serviceAccountName: 'web',
        volumes: [DATA],
        containers: [{ name: 'a', volumeMounts: [mount('data')] }, { name: 'b' }, { name: 'c' }],
        initContainers: [{ name: 'i', image: 'x', volumeMounts: [mount('data')] }],
      },
    ],
    [
      'mounts go even without such a volume',
      {
        serviceAccountName: 'web',
        containers: [{ name: 'a', volumeMounts: [mount('web-token-gone'), mount('data')] }],
      },
      { serviceAccountName: 'web', containers: [{ name: 'a', volumeMounts: [mount('data')] }] },
    ],
    [
      'fields nobody knows stay',
      { nodeName: 'n1', notYetInvented: { deep: [1, 2] } },
      { notYetInvented: { deep: [1, 2] } },
    ],
  ])('%s', async (_, spec, expected) => {
    const output = await runAction(podAction, pod(spec));
    expect(output.item).toEqual(pod(expected));
    expect(output.skipRestore).toBe(false);
  });

  it('asks for the priority class', async () => {
    const output = await runAction(podAction, pod({ priorityClassName: 'urgent' }));
    expect(output.additionalItems).toEqual([
      { group: 'scheduling.k8s.io', resource: 'priorityclasses', namespace: '', name: 'urgent' },
    ]);
  });

  it('asks for nothing without a priority class', async () => {
    expect((await runAction(podAction, pod({ priority: 3 }))).additionalItems).toEqual([]);
  });

  it('accepts a pod without spec', async () => {
    const item: JsonObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' } };
    expect((await runAction(podAction, item)).item).toEqual(item);
  });

  it.each<[JsonObject, string]>([
    [{ serviceAccountName: ['web'] }, 'spec.serviceAccountName: expected a string, found a list'],
    [{ volumes: {} }, 'spec.volumes: expected a list, found an object'],
    [{ volumes: [DATA, { name: 4 }] }, 'spec.volumes[1].name: expected a string, found a number'],
    [
      { containers: [{}, { volumeMounts: [true] }] },
      'spec.containers[1].volumeMounts[0]: expected an object, found a boolean',
    ],
    [{ initContainers: ['x'] }, 'spec.initContainers[0]: expected an object, found a string'],
    [{ priorityClassName: 1 }, 'spec.priorityClassName: expected a string, found a number'],
  ])('refuses %j', async (spec, message) => {
    await expect(runAction(podAction, pod(spec))).rejects.toThrow(message);
  });
});

const TOKEN_TYPE = 'kubernetes.io/service-account-token';
const UID = 'kubernetes.io/service-account.uid';
const NAME = 'kubernetes.io/service-account.name';

function secret(name: string, type: string, annotations?: JsonObject, data?: JsonObject): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'shop', name, ...(annotations === undefined ? {} : { annotations }) },
    ...(data === undefined ? {} : { data }),
    type,
  };
}

const account = (name: string): JsonObject => ({ metadata: { name } });

describe('velero.io/secret', () => {
  it('keeps a secret of another type that is named like a token', async () => {
    const item = secret('web-token-x', 'Opaque', { [UID]: '1' }, { token: 'dA==' });
    const output = await runAction(secretAction, item, { cluster: { 'serviceaccounts shop': [account('web')] } });
    expect(output).toEqual({ item, additionalItems: [], skipRestore: false });
  });

  it('skips the token that Kubernetes made for an account', async () => {
    const item = secret('web-token-x', TOKEN_TYPE, { [UID]: '1' }, { token: 'dA==' });
    const output = await runAction(secretAction, item, {
      cluster: { 'serviceaccounts shop': [account('api'), account('web')] },
    });
    expect(output).toEqual({ item, additionalItems: [], skipRestore: true });
  });

  it.each<[string, JsonObject, JsonObject]>([
    [
      'without the uid of the account, its token and certificate, but with the rest',
      secret(
        'web-token',
        TOKEN_TYPE,
        { [UID]: '1', [NAME]: 'web' },
        { token: 'dA==', 'ca.crt': 'Yw==', namespace: 'cw==', extra: 'eA==' },
      ),
      secret('web-token', TOKEN_TYPE, { [NAME]: 'web' }, { namespace: 'cw==', extra: 'eA==' }),
    ],
    [
      'without annotations and data that become empty',
      secret('mine', TOKEN_TYPE, { [UID]: '1' }, { token: 'dA==', 'ca.crt': 'Yw==' }),
      secret('mine', TOKEN_TYPE),
    ],
    ['as it is where it has none of them', secret('mine', TOKEN_TYPE), secret('mine', TOKEN_TYPE)],
    [
      'although an account of another namespace would match',
      secret('other-token-x', TOKEN_TYPE, { [NAME]: 'other' }, { token: 'dA==' }),
      secret('other-token-x', TOKEN_TYPE, { [NAME]: 'other' }),
    ],
  ])('restores a token that somebody made %s', async (_, item, expected) => {
    const cluster = { 'serviceaccounts shop': [account('web')], 'serviceaccounts data': [account('other')] };
    const output = await runAction(secretAction, item, { cluster });
    expect(output).toEqual({ item: expected, additionalItems: [], skipRestore: false });
  });

  it.each([
    ['the target namespace', { 'serviceaccounts shop-copy': [account('web')] }, true],
    ['not the original one', { 'serviceaccounts shop': [account('web')] }, false],
  ])('looks at accounts of %s where the namespace is mapped', async (_, cluster, skipped) => {
    const item = secret('web-token-x', TOKEN_TYPE, undefined, { token: 'dA==' });
    const output = await runAction(secretAction, item, { cluster, spec: { namespaceMapping: { shop: 'shop-copy' } } });
    expect(output.skipRestore).toBe(skipped);
  });

  it('looks at the original namespace where another one is mapped', async () => {
    const item = secret('web-token-x', TOKEN_TYPE);
    const output = await runAction(secretAction, item, {
      cluster: { 'serviceaccounts shop': [account('web')] },
      spec: { namespaceMapping: { data: 'data-copy' } },
    });
    expect(output.skipRestore).toBe(true);
  });

  it('names the field and not its content where data is no object', async () => {
    const item: JsonObject = { ...secret('mine', TOKEN_TYPE), data: ['c2VjcmV0'] };
    await expect(runAction(secretAction, item)).rejects.toThrow(/^data: expected an object, found a list$/);
  });
});

describe('serviceAccount', () => {
  function account(secrets: Json | undefined): JsonObject {
    return {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { namespace: 'shop', name: 'web' },
      imagePullSecrets: [{ name: 'web-token-pull' }],
      ...(secrets === undefined ? {} : { secrets }),
    };
  }

  const named = (...names: string[]): JsonObject[] => names.map((name) => ({ name }));

  describe('velero.io/service-account', () => {
    it.each<[string, JsonObject[] | undefined, JsonObject[] | undefined]>([
      ['no secrets', undefined, undefined],
      ['empty secrets', [], []],
      ['no match', named('web-other-1', 'api-token-1'), named('web-other-1', 'api-token-1')],
      ['no match in another case', named('Web-token-1', 'web-Token-1'), named('Web-token-1', 'web-Token-1')],
      ['a match at the start', named('web-token-1', 'a', 'b'), named('a', 'b')],
      ['a match in the middle', named('a', 'web-token-1', 'b'), named('a', 'b')],
      ['a match at the end', named('a', 'b', 'web-token-1'), named('a', 'b')],
      ['only the last of several matches', named('web-token-1', 'web-token-2', 'a'), named('web-token-1', 'a')],
      ['a list that becomes empty is left out', named('web-token-1'), undefined],
      ['the prefix alone', named('web-token-', 'web-token'), named('web-token')],
      ['entries without a name stay', [{}, { name: null }], [{}, { name: null }]],
    ])('%s', async (_, secrets, expected) => {
      const output = await runAction(serviceAccountAction, account(secrets));
      expect(output.item).toEqual(account(expected));
      expect(output.skipRestore).toBe(false);
    });

    it('refuses secrets that are no objects', async () => {
      await expect(runAction(serviceAccountAction, account(['web-token-1']))).rejects.toThrow(
        'secrets[0]: expected an object, found a string',
      );
    });
  });
});
