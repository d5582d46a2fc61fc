import { describe, expect, it } from '@jest/globals';
import { serviceAction, withoutAssignedFields } from '../../../../domain/actions/service.ts';
import type { Json, JsonObject } from '../../../../domain/json.ts';
import { runAction } from './runAction.ts';

interface ServiceParts {
  readonly applied?: Json;
  readonly managedFields?: Json;
}

function service(spec: JsonObject, { applied, managedFields }: ServiceParts = {}): JsonObject {
  const annotations =
    applied === undefined
      ? {}
      : {
          annotations: {
            'kubectl.kubernetes.io/last-applied-configuration':
              typeof applied === 'string' ? applied : JSON.stringify({ spec: applied }),
          },
        };
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      namespace: 'shop',
      name: 'web',
      ...annotations,
      ...(managedFields === undefined ? {} : { managedFields }),
    },
    spec,
  };
}

/** managedFields of somebody who owns `fields` of the spec. */
const owns = (...fields: JsonObject[]): Json =>
  fields.map((spec) => ({ manager: 'm', operation: 'Apply', fieldsV1: { 'f:spec': spec } }));
const ownedPort = (port: number, protocol: string, ...fields: string[]): JsonObject => ({
  'f:ports': {
    '.': {},
    [`k:{"port":${port},"protocol":"${protocol}"}`]: Object.fromEntries(['.', ...fields].map((field) => [field, {}])),
  },
});

const PORT = (port: number, nodePort?: number, name?: string): JsonObject => ({
  ...(name === undefined ? {} : { name }),
  port,
  protocol: 'TCP',
  ...(nodePort === undefined ? {} : { nodePort }),
});

describe('velero.io/service: cluster IPs', () => {
  it.each<[string, JsonObject, JsonObject]>([
    [
      'are cleared',
      { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1', 'fd00::1'], ipFamilies: ['IPv4'] },
      { ipFamilies: ['IPv4'] },
    ],
    [
      'stay in a headless service',
      { clusterIP: 'None', clusterIPs: ['None'] },
      { clusterIP: 'None', clusterIPs: ['None'] },
    ],
    ['of an external name are cleared', { type: 'ExternalName', clusterIP: '' }, { type: 'ExternalName' }],
    [
      'are all that goes; other addresses stay',
      { clusterIP: '10.0.0.1', loadBalancerIP: '1.2.3.4', externalIPs: ['5.6.7.8'] },
      { loadBalancerIP: '1.2.3.4', externalIPs: ['5.6.7.8'] },
    ],
  ])('%s', async (_, spec, expected) => {
    expect((await runAction(serviceAction, service(spec))).item).toEqual(service(expected));
  });
});

describe('velero.io/service: node ports', () => {
  it.each<[string, ServiceParts, JsonObject[], JsonObject[]]>([
    [
      'all go when nothing asks for them',
      {},
      [PORT(80, 30080), PORT(81, 30081, 'b')],
      [PORT(80), PORT(81, undefined, 'b')],
    ],
    ['unnamed, missing in the annotation', { applied: { ports: [{ port: 80 }] } }, [PORT(80, 30080)], [PORT(80)]],
    ['the annotation has no ports', { applied: {} }, [PORT(80, 30080)], [PORT(80)]],
    ['the annotation has ports: null', { applied: { ports: null } }, [PORT(80, 30080)], [PORT(80)]],
    ['the annotation is the text null', { applied: 'null' }, [PORT(80, 30080)], [PORT(80)]],
    [
      'unnamed, in the annotation',
      { applied: { ports: [{ port: 80, nodePort: 30080 }] } },
      [PORT(80, 30080), PORT(81, 30081)],
      [PORT(80, 30080), PORT(81)],
    ],
    [
      'unnamed, a named one with the same number does not protect it',
      { applied: { ports: [{ name: 'http', port: 80, nodePort: 30080 }] } },
      [PORT(80, 30080)],
      [PORT(80)],
    ],
    [
      'unnamed, nor does a named one given as text',
      { applied: { ports: [{ name: 'http', port: 80, nodePort: '30080' }] } },
      [PORT(80, 30080)],
      [PORT(80)],
    ],
    [
      'unnamed, in the annotation as text',
      { applied: { ports: [{ port: 80, nodePort: '30080' }] } },
      [PORT(80, 30080)],
      [PORT(80, 30080)],
    ],
    [
      'unnamed, another number in the annotation',
      { applied: { ports: [{ port: 80, nodePort: 30099 }] } },
      [PORT(80, 30080)],
      [PORT(80)],
    ],
    [
      'an empty name counts as unnamed on both sides',
      { applied: { ports: [{ name: '', port: 80, nodePort: 30080 }] } },
      [PORT(80, 30080, '')],
      [PORT(80, 30080, '')],
    ],
    [
      'named, in the annotation; its number there does not matter',
      {
        applied: {
          ports: [
            { name: 'http', nodePort: 30099 },
            { name: 'admin', port: 81 },
          ],
        },
      },
      [PORT(80, 30080, 'http'), PORT(81, 30081, 'admin'), PORT(82, 30082, 'x')],
      [PORT(80, 30080, 'http'), PORT(81, undefined, 'admin'), PORT(82, undefined, 'x')],
    ],
    [
      'named, an unnamed one with the same number does not protect it',
      { applied: { ports: [{ port: 80, nodePort: 30080 }] } },
      [PORT(80, 30080, 'http')],
      [PORT(80, undefined, 'http')],
    ],
    ...[0, -1, '0', '-5', null, true, {}].map((nodePort): [string, ServiceParts, JsonObject[], JsonObject[]] => [
      `nodePort ${JSON.stringify(nodePort)} in the annotation asks for nothing`,
      { applied: { ports: [{ name: 'http', nodePort }] } },
      [PORT(80, 30080, 'http')],
      [PORT(80, undefined, 'http')],
    ]),
    [
      'entries of the annotation that are no objects are passed over',
      { applied: { ports: ['x', 7, null, { port: 80, nodePort: 30080 }] } },
      [PORT(80, 30080)],
      [PORT(80, 30080)],
    ],
    [
      'managedFields do not count beside the annotation',
      { applied: { ports: [{ port: 80 }] }, managedFields: owns(ownedPort(80, 'TCP', 'f:nodePort')) },
      [PORT(80, 30080)],
      [PORT(80)],
    ],
    [
      'not in managedFields',
      { managedFields: owns(ownedPort(80, 'TCP', 'f:port', 'f:targetPort')) },
      [PORT(80, 30080)],
      [PORT(80)],
    ],
    [
      'in managedFields, by port and protocol, whatever its name',
      { managedFields: owns(ownedPort(80, 'TCP', 'f:nodePort'), ownedPort(81, 'UDP', 'f:nodePort')) },
      [PORT(80, 30080, 'http'), PORT(81, 30081, 'x'), { port: 81, protocol: 'UDP', nodePort: 30082, name: 'dns' }],
      [PORT(80, 30080, 'http'), PORT(81, undefined, 'x'), { port: 81, protocol: 'UDP', nodePort: 30082, name: 'dns' }],
    ],
    [
      'entries of managedFields without fields or ports are passed over',
      { managedFields: [{ manager: 'a' }, { manager: 'b', fieldsV1: { 'f:metadata': {} } }, { fieldsV1: null }] },
      [PORT(80, 30080)],
      [PORT(80)],
    ],
  ])('%s', async (_, parts, ports, expected) => {
    const output = await runAction(serviceAction, service({ type: 'NodePort', ports }, parts));
    expect(output.item).toEqual(service({ type: 'NodePort', ports: expected }, parts));
  });

  it('stay in a service of type ExternalName', async () => {
    const item = service({ type: 'ExternalName', ports: [PORT(80, 30080)] }, { applied: 'not JSON' });
    expect((await runAction(serviceAction, item)).item).toEqual(item);
  });

  it('stay with preserveNodePorts, even where the annotation cannot be read; cluster IPs go', async () => {
    const ports = [PORT(80, 30080), PORT(81, 30081, 'b')];
    const item = service({ type: 'NodePort', clusterIP: '10.0.0.1', ports }, { applied: 'not JSON' });
    const output = await runAction(serviceAction, item, { spec: { preserveNodePorts: true } });
    expect(output.item).toEqual(service({ type: 'NodePort', ports }, { applied: 'not JSON' }));
  });

  it('go with preserveNodePorts false', async () => {
    const output = await runAction(serviceAction, service({ ports: [PORT(80, 30080)] }), {
      spec: { preserveNodePorts: false },
    });
    expect(output.item).toEqual(service({ ports: [PORT(80)] }));
  });
});

describe('velero.io/service: healthCheckNodePort', () => {
  const local = { type: 'LoadBalancer', externalTrafficPolicy: 'Local' };

  it.each<[string, JsonObject, ServiceParts, 'kept' | 'cleared']>([
    ['nobody asked for it', local, {}, 'cleared'],
    ['traffic policy Cluster', { ...local, externalTrafficPolicy: 'Cluster' }, {}, 'kept'],
    ['no traffic policy', { type: 'LoadBalancer' }, {}, 'kept'],
    ['type NodePort', { ...local, type: 'NodePort' }, {}, 'kept'],
    ['in the annotation, whatever its number', local, { applied: { healthCheckNodePort: 31999 } }, 'kept'],
    ['null in the annotation', local, { applied: { healthCheckNodePort: null } }, 'cleared'],
    ['zero in the annotation', local, { applied: { healthCheckNodePort: 0 } }, 'cleared'],
    ['not in the annotation', local, { applied: {} }, 'cleared'],
    ['in managedFields', local, { managedFields: owns({ 'f:type': {} }, { 'f:healthCheckNodePort': {} }) }, 'kept'],
    ['not in managedFields', local, { managedFields: owns({ 'f:externalTrafficPolicy': {} }) }, 'cleared'],
    [
      'in managedFields, but not in the annotation',
      local,
      { applied: {}, managedFields: owns({ 'f:healthCheckNodePort': {} }) },
      'kept',
    ],
  ])('%s', async (_, spec, parts, result) => {
    const output = await runAction(serviceAction, service({ ...spec, healthCheckNodePort: 31000 }, parts));
    expect(output.item).toEqual(service(result === 'kept' ? { ...spec, healthCheckNodePort: 31000 } : spec, parts));
  });

  it('is not looked for where the service has none', async () => {
    const item = service(local, { applied: { healthCheckNodePort: 'not a number' } });
    expect((await runAction(serviceAction, item)).item).toEqual(item);
  });

  it('stays with preserveNodePorts', async () => {
    const item = service({ ...local, healthCheckNodePort: 31000 });
    expect((await runAction(serviceAction, item, { spec: { preserveNodePorts: true } })).item).toEqual(item);
  });
});

describe('velero.io/service: what cannot be read', () => {
  const annotation = 'metadata.annotations["kubectl.kubernetes.io/last-applied-configuration"]';
  const healthCheck = { type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: 31000 };

  it.each<[string, JsonObject, ServiceParts]>([
    [`${annotation}: expected the JSON of an object, found a string`, {}, { applied: '{' }],
    [`${annotation}: expected the JSON of an object, found a string`, {}, { applied: '' }],
    [`${annotation}: expected an object, found a list`, {}, { applied: '[]' }],
    [`${annotation}.spec.ports: expected a list, found an object`, {}, { applied: { ports: {} } }],
    [`${annotation}.spec: expected an object, found a list`, {}, { applied: '{"spec":[]}' }],
    [
      `${annotation}.spec.ports[0].nodePort: expected a number, found a string`,
      {},
      { applied: { ports: [{ nodePort: 'http' }] } },
    ],
    [
      `${annotation}.spec.ports[0].nodePort: expected a number, found a string`,
      {},
      { applied: { ports: [{ nodePort: '30080.0' }] } },
    ],
    [
      `${annotation}.spec.ports[1].name: expected a string, found a number`,
      {},
      { applied: { ports: [{}, { nodePort: 30080, name: 5 }] } },
    ],
    [
      `${annotation}.spec.healthCheckNodePort: expected an integer, found a string`,
      healthCheck,
      { applied: { healthCheckNodePort: '31000' } },
    ],
    ['metadata.managedFields: expected a list, found an object', {}, { managedFields: {} }],
    [
      'metadata.managedFields[0].fieldsV1: expected an object, found a string',
      {},
      { managedFields: [{ fieldsV1: 'f:spec' }] },
    ],
    [
      'metadata.managedFields[0].fieldsV1.f:spec.f:ports: expected an object, found a list',
      {},
      { managedFields: owns({ 'f:ports': [] }) },
    ],
    [
      'metadata.managedFields[0].fieldsV1.f:spec.f:healthCheckNodePort: expected an object, found a number',
      healthCheck,
      { managedFields: owns({ 'f:healthCheckNodePort': 3 }) },
    ],
    ['spec.ports: expected a list, found a string', { ports: '80' }, {}],
    ['spec.ports[0].port: expected an integer, found a string', { ports: [{ port: '80' }] }, {}],
    ['spec.clusterIP: expected a string, found a number', { clusterIP: 7 }, {}],
  ])('fails the item: %s', async (message, spec, parts) => {
    await expect(runAction(serviceAction, service(spec, parts))).rejects.toMatchObject({
      type: 'ItemFieldType',
      message,
    });
  });
});

describe('withoutAssignedFields', () => {
  it.each([
    [true, 30080],
    [false, undefined],
  ])('is what the action does, preserveNodePorts %s', (preserveNodePorts, nodePort) => {
    const item = service({ clusterIP: '10.0.0.1', ports: [PORT(80, 30080)] });
    expect(withoutAssignedFields(item, preserveNodePorts)).toEqual(service({ ports: [PORT(80, nodePort)] }));
  });
});
