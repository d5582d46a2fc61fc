import { describe, expect, it } from '@jest/globals';
import { collectionPath, objectPath, withQuery } from '../../../../adapters/kubernetes/paths.ts';

const pods = { group: '', version: 'v1', resource: 'pods', namespace: 'shop' };
const roles = { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterroles' };

describe('paths of the Kubernetes API', () => {
  it('names collections', () => {
    expect(collectionPath(pods)).toBe('/api/v1/namespaces/shop/pods');
    expect(collectionPath({ ...pods, namespace: undefined })).toBe('/api/v1/pods');
    expect(collectionPath(roles)).toBe('/apis/rbac.authorization.k8s.io/v1/clusterroles');
  });

  it.each([
    ['plain', '/api/v1/namespaces/shop/pods/plain'],
    ['system:node', '/api/v1/namespaces/shop/pods/system%3Anode'],
    ['MyRole', '/api/v1/namespaces/shop/pods/MyRole'],
    ['a/b', '/api/v1/namespaces/shop/pods/a%2Fb'],
    ['a?b#c%d', '/api/v1/namespaces/shop/pods/a%3Fb%23c%25d'],
    ['..', '/api/v1/namespaces/shop/pods/%2E%2E'],
    ['ü', '/api/v1/namespaces/shop/pods/%C3%BC'],
  ])('names the object %s', (name, path) => {
    expect(objectPath({ ...pods, name })).toBe(path);
  });

  it('names a subresource', () => {
    expect(objectPath({ ...pods, name: 'a' }, 'status')).toBe('/api/v1/namespaces/shop/pods/a/status');
  });

  it('appends the parameters that are set', () => {
    expect(withQuery('/x', { a: undefined, b: '' })).toBe('/x');
    expect(withQuery('/x', { labelSelector: 'a in (b,c)', limit: 500 })).toBe(
      '/x?labelSelector=a+in+%28b%2Cc%29&limit=500',
    );
  });
});
