import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type ClosablePodAccess, createPodAccess } from '../../../../adapters/kubernetes/pods.ts';
import { getString, type JsonObject } from '../../../../domain/json.ts';
import { until } from '../../../workflow/support/gate.ts';
import {
  kubeconfigFor,
  type LocalServer,
  send,
  startLocalServer,
  type TemporaryFolder,
  temporaryFolder,
} from './localServer.ts';

jest.setTimeout(60_000);

const SELECTOR = 'velero.io/restore-name=r';

function pod(name: string, version: string, phase = 'Pending'): JsonObject {
  return {
    metadata: { name, namespace: 'shop', uid: `uid-of-${name}`, resourceVersion: version, labels: { a: 'b' } },
    spec: { containers: [{ name: 'main', image: 'not kept' }], restartPolicy: 'Always' },
    status: { phase, containerStatuses: [{ name: 'main', ready: true, state: { running: {} }, image: 'not kept' }] },
  };
}

/** An API server whose pods the test decides on. */
class PodServer {
  pods: JsonObject[] = [];
  version = '10';
  /** Answers to watches, as long as they are open. */
  readonly watches: ServerResponse[] = [];
  /** Resource versions from which was watched. */
  readonly from: (string | null)[] = [];
  lists = 0;
  /** Asked about each request: an answer of its own, or undefined. */
  refuse: (isWatch: boolean) => number | undefined = () => undefined;
  server: LocalServer | undefined;

  async start(): Promise<string> {
    this.server = await startLocalServer((request, response) => {
      const url = new URL(request.url, 'http://x');
      const isWatch = url.searchParams.get('watch') === 'true';
      expect(url.pathname).toBe('/api/v1/pods');
      expect(url.searchParams.get('labelSelector')).toBe(SELECTOR);
      const status = this.refuse(isWatch);
      if (status !== undefined) {
        send(response, status, { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'no' });
        return;
      }
      if (isWatch) {
        this.from.push(url.searchParams.get('resourceVersion'));
        response.writeHead(200, { 'content-type': 'application/json' });
        response.flushHeaders();
        this.watches.push(response);
        return;
      }
      this.lists += 1;
      send(response, 200, {
        kind: 'PodList',
        apiVersion: 'v1',
        metadata: { resourceVersion: this.version },
        items: this.pods,
      });
    });
    return this.server.url;
  }

  /** Tells an event to the newest watch; in two parts, as the network may. */
  async tell(type: string, object: JsonObject): Promise<void> {
    await until('a watch', () => this.watches.length > 0);
    const text = `${JSON.stringify({ type, object })}\n`;
    const watch = this.watches.at(-1)!;
    watch.write(text.slice(0, 20));
    await new Promise((resolve) => setTimeout(resolve, 20));
    watch.write(text.slice(20));
  }
}

let folder: TemporaryFolder;
let api: PodServer;
let pods: ClosablePodAccess;
beforeEach(async () => {
  folder = await temporaryFolder();
  api = new PodServer();
  const kubeconfig = await folder.write('config', kubeconfigFor(await api.start()));
  pods = await createPodAccess({ kubeconfig, environment: {} });
});
afterEach(async () => {
  const closed = pods.close();
  await api.server?.close();
  await closed;
  await folder.remove();
});

/** What a follower was told: phase and version of the pod, or that it is not there. */
function follow(name: string): { readonly seen: string[]; readonly stop: () => void } {
  const seen: string[] = [];
  const stop = pods.follow(SELECTOR, { namespace: 'shop', name }, (live) => {
    const phase = getString(live, ['status', 'phase']) ?? '';
    seen.push(live === undefined ? 'absent' : `${phase} ${getString(live, ['metadata', 'resourceVersion']) ?? ''}`);
  });
  return { seen, stop };
}

describe('the watch of pods', () => {
  it('tells each follower of its own pod: as it is now, and whenever it changes', async () => {
    api.pods = [pod('a', '5'), pod('b', '6')];
    const [a, b, c] = [follow('a'), follow('b'), follow('c')];
    await until('the list', () => c.seen.length > 0);
    expect([a.seen, b.seen, c.seen]).toEqual([['Pending 5'], ['Pending 6'], ['absent']]);
    await api.tell('MODIFIED', pod('a', '11', 'Running'));
    await api.tell('ADDED', pod('c', '12'));
    await api.tell('DELETED', pod('b', '13'));
    await until('the events', () => b.seen.length > 1);
    expect([a.seen.slice(1), b.seen.slice(1), c.seen.slice(1)]).toEqual([['Running 11'], ['absent'], ['Pending 12']]);
    const late = follow('a');
    expect(late.seen).toEqual(['Running 11']);
    expect({ lists: api.lists, watches: api.from }).toEqual({ lists: 1, watches: ['10'] });
  });

  it('goes on where a watch ended, bookmarks included', async () => {
    const a = follow('a');
    await api.tell('BOOKMARK', { kind: 'Pod', metadata: { resourceVersion: '20' } });
    api.watches.at(-1)!.end();
    await until('the next watch', () => api.from.length > 1);
    await api.tell('ADDED', pod('a', '21'));
    await until('the event', () => a.seen.length > 1);
    expect({ lists: api.lists, watches: api.from, seen: a.seen }).toEqual({
      lists: 1,
      watches: ['10', '20'],
      seen: ['absent', 'Pending 21'],
    });
  });

  it('goes on where a connection broke', async () => {
    follow('a');
    await until('the watch', () => api.watches.length > 0);
    api.watches.at(-1)!.destroy();
    await until('the next watch', () => api.from.length > 1);
    expect(api.lists).toBe(1);
  });

  it('lists again where the version is too old, and tells what has changed and what is gone', async () => {
    api.pods = [pod('a', '5'), pod('b', '6')];
    const [a, b] = [follow('a'), follow('b')];
    await until('the watch', () => api.watches.length > 0);
    api.pods = [pod('a', '30', 'Running')];
    api.version = '31';
    await api.tell('ERROR', { kind: 'Status', code: 410, message: 'too old' });
    await until('the next watch', () => api.from.length > 1);
    expect([a.seen, b.seen]).toEqual([
      ['Pending 5', 'Running 30'],
      ['Pending 6', 'absent'],
    ]);
    expect({ lists: api.lists, watches: api.from }).toEqual({ lists: 2, watches: ['10', '31'] });
  });

  it('asks until the API server answers', async () => {
    let refusals = 3;
    api.refuse = () => (refusals-- > 0 ? 503 : undefined);
    const a = follow('a');
    await until('the list', () => a.seen.length > 0);
    expect(refusals).toBeLessThan(0);
  });

  it('ends with its last follower', async () => {
    const [a, b] = [follow('a'), follow('b')];
    await until('the watch', () => api.watches.length > 0);
    a.stop();
    a.stop();
    b.stop();
    await until('the end', () => api.watches.at(-1)!.destroyed);
    follow('a');
    await until('another watch', () => api.from.length > 1);
    expect(api.lists).toBe(2);
  });
});
