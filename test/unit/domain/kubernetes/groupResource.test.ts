import { describe, expect, it } from '@jest/globals';
import {
  formatGroupResource,
  parseApiVersion,
  parseGroupResource,
} from '../../../../domain/kubernetes/groupResource.ts';

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
