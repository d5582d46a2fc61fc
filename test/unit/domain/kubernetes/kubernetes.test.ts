import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { toApiResult } from '../../../../adapters/kubernetes/apiResult.ts';
import type { ApiFailure } from '../../../../domain/kubernetes/api.ts';
import { isDefinitionReady } from '../../../../domain/kubernetes/definitionReady.ts';
import { classifyFailure, type Fault } from '../../../../domain/kubernetes/fault.ts';
import {
  formatGroupResource,
  parseApiVersion,
  parseGroupResource,
} from '../../../../domain/kubernetes/groupResource.ts';
import {
  LabelSelectorError,
  labelSelectorMatcher,
  parseLabelSelector,
} from '../../../../domain/kubernetes/labelSelector.ts';
import { isNotServed } from '../../../../domain/kubernetes/notServed.ts';
import { type ApiResource, ResourceTable } from '../../../../domain/kubernetes/resourceTable.ts';
import type { LabelSelector } from '../../../../domain/restore/restore.ts';

type Cause = ApiFailure['causes'][number];

const terminating: Cause = {
  reason: 'NamespaceTerminating',
  message: 'namespace shop is being terminated',
  field: 'metadata.namespace',
};
const terminatingMessage =
  'configmaps "a" is forbidden: unable to create new content in namespace shop because it is being terminated';

/** Messages as a real API server gives them. */
describe('classifyFailure', () => {
  it.each<[number, string, string, readonly Cause[], Fault]>([
    [429, 'TooManyRequests', 'too many requests', [], 'throttled'],
    [429, 'TooManyRequests', 'storage is (re)initializing', [], 'throttled'],
    [429, '', '', [], 'throttled'],
    [403, 'Forbidden', terminatingMessage, [terminating], 'terminating'],
    [403, 'Forbidden', terminatingMessage, [], 'terminating'],
    [403, 'Forbidden', 'other words', [terminating], 'terminating'],
    [403, 'Forbidden', 'pods "a" is forbidden: status unknown for quota: compute, resources: pods', [], 'quotaUnknown'],
    [403, 'Forbidden', 'pods "a" is forbidden: exceeded quota: compute, requested: pods=1', [], 'item'],
    [500, 'InternalError', 'failed calling webhook "x": connection refused', [], 'serverError'],
    [500, 'InternalError', 'etcdserver: request timed out', [], 'serverError'],
    [502, 'InternalError', '', [], 'serverError'],
    [503, 'ServiceUnavailable', 'the server is currently unable to handle the request', [], 'serverError'],
    [504, 'Timeout', 'the server was unable to return a response in the time allotted', [], 'serverError'],
    [400, 'BadRequest', 'admission webhook "x" denied the request', [], 'item'],
    [401, 'Unauthorized', 'Unauthorized', [], 'unauthorized'],
    [403, 'Forbidden', 'configmaps is forbidden: User "jane" cannot create resource "configmaps"', [], 'item'],
    [404, 'NotFound', 'namespaces "shop" not found', [], 'item'],
    [405, 'MethodNotAllowed', 'create not allowed while custom resource definition is terminating', [], 'item'],
    [409, 'AlreadyExists', 'configmaps "a" already exists', [], 'item'],
    [409, 'Conflict', 'the object has been modified', [], 'item'],
    [413, 'RequestEntityTooLarge', 'etcdserver: request is too large', [], 'item'],
    [422, 'Invalid', 'Pod "a" is invalid', [], 'item'],
  ])('HTTP %d %s "%s" is %s', (status, reason, message, causes, fault) => {
    expect(
      classifyFailure({ ok: false, status, reason, message, causes, retryAfterMs: undefined, date: undefined }),
    ).toBe(fault);
  });
});

describe('group resources', () => {
  it.each([
    ['pods', '', 'pods'],
    ['deployments.apps', 'apps', 'deployments'],
    ['customresourcedefinitions.apiextensions.k8s.io', 'apiextensions.k8s.io', 'customresourcedefinitions'],
  ])('%s is read and written', (text, group, resource) => {
    expect(parseGroupResource(text)).toEqual({ group, resource });
    expect(formatGroupResource({ group, resource })).toBe(text);
  });
});

describe('parseApiVersion', () => {
  it.each([
    ['v1', '', 'v1'],
    ['apps/v1', 'apps', 'v1'],
    ['snapshot.storage.k8s.io/v1beta1', 'snapshot.storage.k8s.io', 'v1beta1'],
    ['', '', ''],
  ])('%s', (apiVersion, group, version) => {
    expect(parseApiVersion(apiVersion)).toEqual({ group, version });
  });
});

type LabelSets = readonly { readonly labelSets: readonly Record<string, string>[] }[];

interface TextVector {
  readonly text: string;
  readonly error?: boolean;
  /** One for each of the label sets at the head of the file. */
  readonly matches?: readonly boolean[];
}

interface SelectorVector {
  readonly selector: LabelSelector;
  readonly error?: boolean;
  readonly matches?: readonly boolean[];
}

/**
 * Made by a Go program from labels.Parse and metav1.LabelSelectorAsSelector of k8s.io/apimachinery v0.36.3: the first line of
 * a file holds the sets of labels, each other line says which of them a selector matches.
 */
function readVectors(name: string): readonly [LabelSets[number]['labelSets'], readonly unknown[]] {
  const text = readFileSync(new URL(`./vectors/${name}.json`, import.meta.url), 'utf8');
  const [head, ...vectors] = JSON.parse(text) as [LabelSets[number], ...unknown[]];
  return [head.labelSets, vectors];
}

describe('parseLabelSelector', () => {
  const [labelSets, all] = readVectors('labelSelectorText');
  const vectors = all as readonly TextVector[];

  it.each(vectors.filter((vector) => vector.error !== true))(
    'selects like Kubernetes: "$text"',
    ({ text, matches }) => {
      expect(labelSets.map(parseLabelSelector(text))).toEqual(matches);
    },
  );

  it.each(vectors.filter((vector) => vector.error === true))('refuses like Kubernetes: "$text"', ({ text }) => {
    expect(() => parseLabelSelector(text)).toThrow(LabelSelectorError);
  });

  it.each([
    ['a in (b', `label selector: text is "a in (b", expected ',' or ')', found the end`],
    ['a b', 'label selector: text is "a b", expected one of in, notin, =, ==, !=, >, < after a, found b'],
    ['a=b/c', `label selector: value is "b/c", expected a label value: empty, or letters, digits, '-'`],
    ['-a', `label selector: key is "-a", expected a label key: letters`],
    ['a>b', 'label selector: value of a is "b", expected an integer'],
  ])('says what is wrong with %s', (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(message);
  });

  it('takes no key of the prototype for a label', () => {
    expect(parseLabelSelector('constructor')({})).toBe(false);
    expect(parseLabelSelector('!toString')({})).toBe(true);
  });
});

describe('labelSelectorMatcher', () => {
  const [labelSets, all] = readVectors('labelSelector');
  const vectors = (all as readonly SelectorVector[]).map((vector) => ({
    ...vector,
    json: JSON.stringify(vector.selector),
  }));

  it.each(vectors.filter((vector) => vector.error !== true))(
    'selects like Kubernetes: $json',
    ({ selector, matches }) => {
      expect(labelSets.map(labelSelectorMatcher(selector))).toEqual(matches);
    },
  );

  it.each(vectors.filter((vector) => vector.error === true))('refuses like Kubernetes: $json', ({ selector }) => {
    expect(() => labelSelectorMatcher(selector)).toThrow(LabelSelectorError);
  });

  it.each<[LabelSelector, string]>([
    [
      { matchExpressions: [{ key: 'a', operator: 'Equals' }] },
      'label selector: matchExpressions[0].operator is "Equals", expected In, NotIn, Exists or DoesNotExist',
    ],
    [
      { matchExpressions: [{ key: 'a', operator: 'In' }] },
      'label selector: matchExpressions[0].values is [], expected at least one value for operator In',
    ],
    [
      { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] },
      'label selector: matchExpressions[0].values is ["b"], expected no values for operator Exists',
    ],
    [{ matchLabels: { a: 'b c' } }, 'label selector: matchLabels[a] is "b c", expected a label value'],
  ])('names the field, the value and what was expected: %j', (selector, message) => {
    expect(() => labelSelectorMatcher(selector)).toThrow(message);
  });
});

function failure(status: number, contentType: string, text: string): ApiFailure {
  const result = toApiResult('POST', { status, headers: { 'content-type': contentType }, text });
  if (result === undefined || result.ok) throw new Error('expected a failure');
  return result;
}

function statusText(code: number, reason: string, message: string): string {
  return JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message, details: {} });
}

describe('isNotServed', () => {
  it('sees that no resource is served at the path', () => {
    const answer = failure(404, 'text/plain; charset=utf-8', '404 page not found\n');
    expect(answer.message).toBe('the server could not find the requested resource');
    expect(isNotServed(answer)).toBe(true);
  });

  it.each([
    ['a missing namespace', 404, 'application/json', statusText(404, 'NotFound', 'namespaces "shop" not found')],
    ['a refused object', 422, 'application/json', statusText(422, 'Invalid', 'Widget "left" is invalid')],
    ['a server error without a Status', 500, 'text/plain', 'broken'],
  ])('is not misled by %s', (_what, status, contentType, text) => {
    expect(isNotServed(failure(status, contentType, text))).toBe(false);
  });
});

function resource(
  group: string,
  version: string,
  plural: string,
  kind: string,
  more: Partial<ApiResource> = {},
): ApiResource {
  return {
    group,
    version,
    resource: plural,
    singular: kind.toLowerCase(),
    shortNames: [],
    kind,
    namespaced: true,
    verbs: ['create'],
    ...more,
  };
}

const table = new ResourceTable(
  [
    resource('', 'v1', 'pods', 'Pod', { shortNames: ['po'] }),
    resource('', 'v1', 'events', 'Event', { shortNames: ['ev'] }),
    resource('', 'v1', 'services', 'Service', { shortNames: ['svc', 'widgets'] }),
    resource('', 'v1', 'endpoints', 'Endpoints', { shortNames: ['ep'], singular: '' }),
    resource('apps', 'v1', 'deployments', 'Deployment', { shortNames: ['deploy'] }),
    resource('apps', 'v1beta1', 'deployments', 'Deployment', { shortNames: ['deploy'] }),
    resource('events.k8s.io', 'v1', 'events', 'Event', { shortNames: ['ev'] }),
    resource('example.com', 'v2', 'widgets', 'Widget', { shortNames: ['po'] }),
    resource('metrics.k8s.io', 'v1beta1', 'pods', 'PodMetrics', { singular: '' }),
  ],
  [{ group: 'apps', versions: ['v1', 'v1beta1'] }],
  [{ group: 'dead.example.com', version: 'v1' }],
);

describe('ResourceTable.resolve', () => {
  it.each([
    ['pods', 'pods', 'v1'],
    ['pod', 'pods', 'v1'],
    ['Pod', 'pods', 'v1'],
    ['PODS', 'pods', 'v1'],
    ['po', 'pods', 'v1'],
    ['endpoints', 'endpoints', 'v1'],
    ['ep', 'endpoints', 'v1'],
    ['deploy', 'deployments.apps', 'v1'],
    ['deployments', 'deployments.apps', 'v1'],
    ['deployments.apps', 'deployments.apps', 'v1'],
    ['deployment.app', 'deployments.apps', 'v1'],
    ['deployments.v1beta1.apps', 'deployments.apps', 'v1beta1'],
    ['events', 'events', 'v1'],
    ['events.events.k8s.io', 'events.events.k8s.io', 'v1'],
    ['events.events', 'events.events.k8s.io', 'v1'],
    ['ev.events.k8s.io', 'events.events.k8s.io', 'v1'],
    ['pods.metrics.k8s.io', 'pods.metrics.k8s.io', 'v1beta1'],
    ['podmetrics', 'pods.metrics.k8s.io', 'v1beta1'],
    ['pods.', 'pods', 'v1'],
    ['pods.v1.', 'pods', 'v1'],
    // A short name of services; a resource that is really called so comes first.
    ['widgets', 'widgets.example.com', 'v2'],
    ['po.example.com', 'widgets.example.com', 'v2'],
  ])('%s means %s in %s', (name, groupResource, version) => {
    expect(table.resolveName(name)).toBe(groupResource);
    expect(table.resolve(name)?.version).toBe(version);
  });

  it.each(['unknown', 'pods.unknown', '', '.', 'deployments.v3.apps', 'constructor'])('%p means nothing', (name) => {
    expect(table.resolve(name)).toBeUndefined();
    expect(table.resolveName(name)).toBe(name);
  });
});

describe('ResourceTable', () => {
  it('finds kinds by group and version', () => {
    expect(table.forKind('apps', 'v1beta1', 'Deployment')).toMatchObject({
      resource: 'deployments',
      version: 'v1beta1',
    });
    expect(table.forKind('apps', 'v1', 'deployment')).toBeUndefined();
    expect(table.forKind('apps', 'v2', 'Deployment')).toBeUndefined();
  });

  it('finds a group resource in its preferred version, by its plural only', () => {
    expect(table.forGroupResource({ group: 'apps', resource: 'deployments' })?.version).toBe('v1');
    expect(table.forGroupResource({ group: 'events.k8s.io', resource: 'events' })?.group).toBe('events.k8s.io');
    expect(table.forGroupResource({ group: 'apps', resource: 'deployment' })).toBeUndefined();
    expect(table.forGroupResource({ group: '', resource: 'deployments' })).toBeUndefined();
  });

  it('takes more resources without forgetting or changing what it knows', () => {
    const crd = resource('new.example.com', 'v1', 'gadgets', 'Gadget');
    const other = resource('', 'v1', 'pods', 'Other');

    const more = table.withResources([crd, other]);

    expect(more.resolve('gadgets')).toBe(crd);
    expect(more.resolve('pods')?.kind).toBe('Pod');
    expect(more.resources).toHaveLength(table.resources.length + 1);
    expect(more.groups).toBe(table.groups);
    expect(more.failedVersions).toEqual([{ group: 'dead.example.com', version: 'v1' }]);
    expect(table.resolve('gadgets')).toBeUndefined();
  });
});

/** The API server gives every definition in version v1; the function does not ask for the version. */
describe.each([
  ['R-425 R-427', 'apiextensions.k8s.io/v1beta1'],
  ['R-426 R-427', 'apiextensions.k8s.io/v1'],
])('isDefinitionReady, %s: %s', (_ids, apiVersion) => {
  it.each<[string, string[], boolean]>([
    ['no condition', [], false],
    ['only Established', ['Established'], false],
    ['only NamesAccepted', ['NamesAccepted'], false],
    ['both', ['NamesAccepted', 'Established'], true],
  ])('%s', (_title, types, expected) => {
    const conditions = types.map((type) => ({ type, status: 'True' }));
    const definition = { apiVersion, kind: 'CustomResourceDefinition', status: { conditions } };
    expect(isDefinitionReady(definition)).toBe(expected);
    const refused = types.map((type) => ({ type, status: 'False' }));
    expect(isDefinitionReady({ ...definition, status: { conditions: refused } })).toBe(false);
    expect(isDefinitionReady({ apiVersion, kind: 'CustomResourceDefinition' })).toBe(false);
  });
});
