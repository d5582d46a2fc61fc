import { setTimeout as sleep } from 'node:timers/promises';
import { getArray, getIn, getString, isObject, type JsonObject } from '../../domain/json.ts';
import { parseJson } from '../../domain/jsonText.ts';
import type { PodListener } from '../../domain/kubernetes/podAccess.ts';
import { toApiResult } from './apiResult.ts';
import { collectionPath, withQuery } from './paths.ts';
import { podKey, slimPod } from './slimPod.ts';
import type { KubernetesTransport } from './transport.ts';

const PODS = collectionPath({ group: '', version: 'v1', resource: 'pods' });
const PAGE_SIZE = 500;
/** The server ends a watch after this long; it is opened again where it ended. */
const WATCH_SECONDS = 300;
/** Behind the server's own end: a connection on which nothing comes and which nobody closes. */
const WATCH_GRACE_MS = 15_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;
/** The watch ends this long after the last of its followers, because another pod may come at once. */
const LINGER_MS = 5_000;

/** One watch of the API server for all pods of some labels, shared by all who follow such a pod. */
export class PodWatch {
  private readonly transport: KubernetesTransport;
  private readonly labelSelector: string;
  private readonly pods = new Map<string, JsonObject>();
  private readonly listeners = new Map<string, Set<PodListener>>();
  private readonly stopped = new AbortController();
  private readonly onEnd: () => void;
  private listed = false;
  private followers = 0;
  private linger: NodeJS.Timeout | undefined;

  /** @param onEnd told when the watch has ended for want of followers. */
  constructor(transport: KubernetesTransport, labelSelector: string, onEnd: () => void) {
    this.transport = transport;
    this.labelSelector = labelSelector;
    this.onEnd = onEnd;
    void this.run();
  }

  /** The listener is called at once where the pods are known already, else when they are. @returns stops following. */
  follow(pod: { readonly namespace: string; readonly name: string }, listener: PodListener): () => void {
    const key = `${pod.namespace}/${pod.name}`;
    const listeners = this.listeners.get(key) ?? new Set();
    this.listeners.set(key, listeners.add(listener));
    this.followers += 1;
    clearTimeout(this.linger);
    if (this.listed) listener(this.pods.get(key));
    return () => {
      if (!listeners.delete(listener)) return;
      if (listeners.size === 0 && this.listeners.get(key) === listeners) this.listeners.delete(key);
      this.followers -= 1;
      if (this.followers > 0) return;
      this.linger = setTimeout(() => {
        this.stop();
      }, LINGER_MS).unref();
    };
  }

  stop(): void {
    clearTimeout(this.linger);
    this.stopped.abort();
    this.onEnd();
  }

  /** Lists and watches until it is stopped; whatever goes wrong is tried again, more slowly each time. */
  private async run(): Promise<void> {
    const { signal } = this.stopped;
    let pause = FIRST_PAUSE_MS;
    let version: string | undefined;
    while (!signal.aborted) {
      try {
        version ??= await this.list(signal);
        version = await this.watch(version, signal);
        pause = FIRST_PAUSE_MS;
      } catch {
        // Followers wait: the API server may be away for a while, and pods have their own limits.
        await sleep(pause, undefined, { signal }).catch(() => undefined);
        pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
      }
    }
  }

  /** @returns the version from which to watch. */
  private async list(signal: AbortSignal): Promise<string> {
    const found = new Map<string, JsonObject>();
    let token: string | undefined;
    let version = '';
    do {
      const path = withQuery(PODS, { labelSelector: this.labelSelector, limit: PAGE_SIZE, continue: token });
      const result = toApiResult('GET', await this.transport.request({ method: 'GET', path, signal }));
      if (result?.ok !== true) throw new Error(`list of pods: HTTP ${result?.status ?? 0}`);
      for (const item of getArray(result.object, ['items']) ?? []) {
        if (isObject(item)) found.set(podKey(item), slimPod(item));
      }
      token = getString(result.object, ['metadata', 'continue']);
      version = getString(result.object, ['metadata', 'resourceVersion']) ?? '';
    } while (token !== undefined && token !== '');
    const before = new Set([...this.pods.keys(), ...this.listeners.keys()]);
    this.listed = true;
    for (const [key, pod] of found) this.set(key, pod);
    for (const key of before) if (!found.has(key)) this.remove(key);
    return version;
  }

  /** @returns the version from which to go on; undefined where everything has to be listed again. */
  private async watch(from: string, signal: AbortSignal): Promise<string | undefined> {
    const path = withQuery(PODS, {
      labelSelector: this.labelSelector,
      watch: 'true',
      allowWatchBookmarks: 'true',
      timeoutSeconds: WATCH_SECONDS,
      resourceVersion: from,
    });
    const bodyTimeoutMs = WATCH_SECONDS * 1_000 + WATCH_GRACE_MS;
    const { status, body } = await this.transport.open({ method: 'GET', path, signal, bodyTimeoutMs });
    if (status === 410) {
      await body.dump();
      return undefined;
    }
    if (status !== 200) {
      await body.dump();
      throw new Error(`watch of pods: HTTP ${status}`);
    }
    let version = from;
    for await (const line of linesOf(body)) {
      const event = parseJson(line);
      const object = getIn(event, ['object']);
      const type = getString(event, ['type']);
      // Most often 410: what came after `from` is forgotten.
      if (type === 'ERROR' || !isObject(object)) return undefined;
      version = getString(object, ['metadata', 'resourceVersion']) ?? version;
      if (type === 'ADDED' || type === 'MODIFIED') this.set(podKey(object), slimPod(object));
      else if (type === 'DELETED') this.remove(podKey(object));
    }
    return version;
  }

  private set(key: string, pod: JsonObject): void {
    this.pods.set(key, pod);
    this.tell(key, pod);
  }

  private remove(key: string): void {
    this.pods.delete(key);
    this.tell(key, undefined);
  }

  private tell(key: string, pod: JsonObject | undefined): void {
    for (const listener of this.listeners.get(key) ?? []) listener(pod);
  }
}

async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    yield* lines.filter((line) => line !== '');
  }
}
