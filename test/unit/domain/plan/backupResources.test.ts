import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../../domain/json.ts';
import { resourcesOfDefinition } from '../../../../domain/plan/backupResources.ts';
import { definitionOf } from '../support/items.ts';

const verbs = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];

describe('resourcesOfDefinition', () => {
  it('gives what the API server will serve, version by version', () => {
    const definition = definitionOf('widgets', 'Widget', 'example.com', ['wd']);
    const versions = [
      { name: 'v1', served: true },
      { name: 'v1beta1', served: false },
      { name: 'v2', served: true },
    ];
    const spec = { ...(definition['spec'] as JsonObject), versions, scope: 'Cluster' };

    expect(resourcesOfDefinition({ ...definition, spec })).toEqual(
      ['v1', 'v2'].map((version) => ({
        group: 'example.com',
        version,
        resource: 'widgets',
        singular: 'widget',
        shortNames: ['wd'],
        kind: 'Widget',
        namespaced: false,
        verbs,
      })),
    );
  });

  it.each<[string, JsonObject]>([
    ['nothing', {}],
    ['no names', { spec: { group: 'example.com', versions: [{ name: 'v1', served: true }] } }],
    ['no group', { spec: { names: { plural: 'widgets', kind: 'Widget' }, versions: [{ name: 'v1', served: true }] } }],
    ['no versions', { spec: { group: 'example.com', names: { plural: 'widgets', kind: 'Widget' } } }],
    ['fields of other types', { spec: { group: 1, names: [], versions: 'v1' } }],
  ])('gives nothing for a definition with %s', (_title, definition) => {
    expect(resourcesOfDefinition(definition)).toEqual([]);
  });

  it('makes up a singular like the API server, and leaves out short names that are no texts', () => {
    const [resource] = resourcesOfDefinition({
      spec: {
        group: 'example.com',
        names: { plural: 'widgets', kind: 'WidgetSet', shortNames: ['ws', 1] },
        versions: [{ name: 'v1', served: true }],
      },
    });

    expect(resource).toMatchObject({ singular: 'widgetset', shortNames: ['ws'], namespaced: false });
  });
});
