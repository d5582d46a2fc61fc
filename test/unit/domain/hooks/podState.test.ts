import { describe, expect, it } from '@jest/globals';
import type { NumberedHook, PodHooks } from '../../../../domain/hooks/hook.ts';
import {
  decideWait,
  execContainers,
  finishedReason,
  isContainerUp,
  maxWait,
  WAITED_TOO_LONG,
} from '../../../../domain/hooks/podState.ts';
import type { JsonObject } from '../../../../domain/json.ts';

const CREATED_AT = '2026-01-01T00:00:00.000Z';
const created = Date.parse(CREATED_AT);

function hook(container: string, changes: Partial<NumberedHook> = {}): NumberedHook {
  return {
    number: 0,
    name: 'h',
    source: 'spec',
    index: 0,
    container,
    command: ['run'],
    onError: 'Continue',
    execTimeoutMs: 30_000,
    waitForReady: false,
    ...changes,
  };
}

function podHooks(...hooks: readonly NumberedHook[]): PodHooks {
  return {
    namespace: 'shop',
    name: 'db-0',
    uid: 'u1',
    createdAt: CREATED_AT,
    hooks: hooks.map((one, number) => ({ ...one, number })),
    warnings: [],
  };
}

const running = { running: { startedAt: CREATED_AT } };

/** A pod whose containers are in these states; those named `…*` are ready. */
function pod(
  states: Record<string, JsonObject>,
  changes: { phase?: string; uid?: string; spec?: JsonObject } = {},
): JsonObject {
  const names = Object.keys(states).map((name) => name.replace('*', ''));
  return {
    metadata: { name: 'db-0', namespace: 'shop', uid: changes.uid ?? 'u1' },
    spec: { containers: names.map((name) => ({ name })), ...changes.spec },
    status: {
      phase: changes.phase ?? 'Running',
      containerStatuses: Object.entries(states).map(([name, state]) => ({
        name: name.replace('*', ''),
        state,
        ready: name.endsWith('*'),
      })),
    },
  };
}

describe('execContainers', () => {
  const spec = {
    containers: [{ name: 'main' }, { name: 'second' }],
    initContainers: [{ name: 'setup' }, { name: 'proxy', restartPolicy: 'Always' }],
  };

  it.each<[string, string, boolean]>([
    ['H-072 H-116 a container', 'main', true],
    ['H-073 H-109 H-115 another name', 'other', false],
    ['H-117 an ordinary init container', 'setup', false],
    ['H-118 HX-06 an init container that keeps running', 'proxy', true],
  ])('%s', (_, name, expected) => {
    expect(execContainers({ spec }).includes(name)).toBe(expected);
  });
});

describe('isContainerUp', () => {
  it.each<[string, JsonObject, boolean, boolean]>([
    ['H-074 running', pod({ main: running }), false, true],
    ['H-075 running, but not ready', pod({ main: running }), true, false],
    ['H-076 running and ready', pod({ 'main*': running }), true, true],
    ['H-077 without a state', pod({ main: {} }), false, false],
    ['H-078 waiting', pod({ main: { waiting: { reason: 'ContainerCreating' } } }), false, false],
    ['H-079 running beside one that ended', pod({ other: { terminated: {} }, main: running }), false, true],
    ['not listed', pod({ other: running }), false, false],
    [
      'HX-06 a sidecar',
      { status: { initContainerStatuses: [{ name: 'main', state: running, ready: true }] } },
      true,
      true,
    ],
  ])('%s', (_, live, waitForReady, expected) => {
    expect(isContainerUp(live, 'main', waitForReady)).toBe(expected);
  });
});

describe('maxWait', () => {
  it.each<[string, (number | undefined)[], number | undefined]>([
    ['H-080 no hooks', [], undefined],
    ['H-081 only endless waits', [undefined, undefined], undefined],
    ['H-082 several', [1_000, 1_000, 3_600_000, 60_000], 3_600_000],
    ['H-083 one of them endless', [1_000, undefined], undefined],
  ])('%s', (_, waits, expected) => {
    expect(maxWait(waits)).toBe(expected);
  });
});

describe('decideWait', () => {
  const waiting = { waiting: { reason: 'ContainerCreating' } };
  const main = podHooks(hook('main', { waitTimeoutMs: 1_000 }));

  function decide(
    hooks: PodHooks,
    live: JsonObject | undefined,
    { after = 0, ended = [], limitMs = 0 }: { after?: number; ended?: string[]; limitMs?: number } = {},
  ): { up: string | undefined; missed: string[]; until: number | undefined } {
    const { up, missed, until } = decideWait({ pod: hooks, live, ended, now: created + after, limitMs });
    return {
      up,
      missed: missed.flatMap((one) => one.hooks.map(({ container }) => `${container}: ${one.reason}`)),
      until: until === undefined ? undefined : until - created,
    };
  }

  it.each<[string, ReturnType<typeof decide>, Partial<ReturnType<typeof decide>>]>([
    ['H-061 a container that runs already', decide(main, pod({ main: running })), { up: 'main' }],
    ['H-064 one that does not run yet', decide(main, pod({ main: waiting })), { until: 1_000 }],
    ['H-064 and then does', decide(main, pod({ main: running }), { after: 10 }), { up: 'main' }],
    [
      'H-066 H-067 H-085 H-086 one that does not run in time',
      decide(main, pod({ main: waiting }), { after: 1_000 }),
      { missed: [`main: ${WAITED_TOO_LONG}`] },
    ],
    [
      'H-065 H-068 H-069 without a wait of its own: the limit of the restore',
      decide(podHooks(hook('main')), pod({ main: waiting }), { limitMs: 5_000 }),
      { until: 5_000 },
    ],
    [
      'H-068 and its end',
      decide(podHooks(hook('main')), pod({ main: waiting }), { limitMs: 5_000, after: 5_001 }),
      { missed: [`main: ${WAITED_TOO_LONG}`] },
    ],
    ['a limit of 0 is none', decide(podHooks(hook('main')), pod({ main: waiting }), { after: 1e12 }), {}],
    [
      'H-070 the first of two containers',
      decide(podHooks(hook('a'), hook('b')), pod({ a: running, b: waiting })),
      { up: 'a' },
    ],
    [
      'H-070 the second, when the first has had its turn',
      decide(podHooks(hook('a'), hook('b')), pod({ a: running, b: running }), { ended: ['a'] }),
      { up: 'b' },
    ],
    [
      "both at once: in the pod's order",
      decide(podHooks(hook('b'), hook('a')), pod({ a: running, b: running })),
      { up: 'a' },
    ],
    [
      'H-087 two containers that do not run in time',
      decide(
        podHooks(hook('a', { waitTimeoutMs: 1 }), hook('b', { waitTimeoutMs: 1 })),
        pod({ a: waiting, b: waiting }),
        {
          after: 2,
        },
      ),
      { missed: [`a: ${WAITED_TOO_LONG}`, `b: ${WAITED_TOO_LONG}`] },
    ],
    [
      'one in time and one not',
      decide(
        podHooks(hook('a', { waitTimeoutMs: 1 }), hook('b', { waitTimeoutMs: 9 })),
        pod({ a: waiting, b: waiting }),
        {
          after: 2,
        },
      ),
      { missed: [`a: ${WAITED_TOO_LONG}`], until: 9 },
    ],
    [
      'readiness, where one hook of the container wants it',
      decide(podHooks(hook('main'), hook('main', { waitForReady: true })), pod({ main: running })),
      {},
    ],
    [
      'HX-01 H-115 a container that the pod lacks, beside one that runs',
      decide(podHooks(hook('gone'), hook('main')), pod({ main: running })),
      { missed: ['gone: the pod has no container gone'], up: 'main' },
    ],
    [
      'HX-06 a sidecar',
      decide(podHooks(hook('proxy')), {
        ...pod({ main: waiting }),
        spec: { containers: [{ name: 'main' }], initContainers: [{ name: 'proxy', restartPolicy: 'Always' }] },
        status: { initContainerStatuses: [{ name: 'proxy', state: running }] },
      }),
      { up: 'proxy' },
    ],
    ['HX-07 a pod that was deleted', decide(main, undefined), { missed: ['main: the pod was deleted'] }],
    [
      'HX-07 another pod of its name',
      decide(main, pod({ main: running }, { uid: 'u2' })),
      { missed: ['main: the pod was replaced by another one of its name'] },
    ],
    [
      'a pod that has finished',
      decide(main, pod({ main: { terminated: {} } }, { phase: 'Failed' })),
      { missed: ['main: the pod has finished: phase Failed'] },
    ],
    [
      'a container that ended for good while another runs',
      decide(
        main,
        pod(
          { main: { terminated: {} }, other: running },
          { spec: { restartPolicy: 'Never', containers: [{ name: 'main' }, { name: 'other' }] } },
        ),
      ),
      { missed: ['main: container main has ended and is not started again'] },
    ],
  ])('%s', (_, decided, expected) => {
    expect(decided).toEqual({ up: undefined, missed: [], until: undefined, ...expected });
  });

  it('H-119 tells a finished pod from one that runs', () => {
    expect(finishedReason(pod({ main: running }))).toBeUndefined();
    expect(finishedReason(pod({ main: running }, { phase: 'Succeeded' }))).toContain('Succeeded');
  });
});
