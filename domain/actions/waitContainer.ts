import { parseGoBool } from '../go/bool.ts';
import { parseQuantity, QuantityError } from '../go/quantity.ts';
import { parseSigsYaml } from '../go/sigsYaml.ts';
import { getArray, getObject, isObject, type JsonObject, withoutKeys } from '../json.ts';

type Config = Readonly<Record<string, string>>;

const DEFAULT_CPU = '100m';
const DEFAULT_MEMORY = '128Mi';

/** Requests and limits of the helper: each may be configured, "0" leaves one out, and one that cannot be used means all defaults (spec item-actions.md §5.12). */
export function waitContainerResources(config: Config): JsonObject {
  const value = (key: string, standard: string): string => {
    const configured = config[key] ?? '';
    return configured === '' ? standard : configured;
  };
  const requests = { cpu: value('cpuRequest', DEFAULT_CPU), memory: value('memRequest', DEFAULT_MEMORY) };
  const limits = { cpu: value('cpuLimit', DEFAULT_CPU), memory: value('memLimit', DEFAULT_MEMORY) };
  if (isUsable(requests, limits)) return { requests: withoutZeros(requests), limits: withoutZeros(limits) };
  const standard = { cpu: DEFAULT_CPU, memory: DEFAULT_MEMORY };
  return { requests: standard, limits: standard };
}

interface Amounts {
  readonly cpu: string;
  readonly memory: string;
}

function isUsable(requests: Amounts, limits: Amounts): boolean {
  try {
    return (['cpu', 'memory'] as const).every((resource) => {
      const request = parseQuantity(requests[resource]);
      const limit = parseQuantity(limits[resource]);
      return limit === 0n || request <= limit;
    });
  } catch (error) {
    if (error instanceof QuantityError) return false;
    throw error;
  }
}

function withoutZeros(amounts: Amounts): JsonObject {
  const entries: [string, string][] = [
    ['cpu', amounts.cpu],
    ['memory', amounts.memory],
  ];
  return Object.fromEntries(entries.filter(([, amount]) => parseQuantity(amount) !== 0n));
}

/** As Pod Security's level "restricted" asks for. */
const DEFAULT_SECURITY: JsonObject = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
  runAsUser: 1000,
  runAsNonRoot: true,
};

/** As configured; otherwise as the pod's first container; otherwise the default with the pod's own user and group: who wrote the files can read them. */
export function waitContainerSecurity(config: Config, pod: JsonObject): JsonObject {
  const configured = configuredSecurity(config);
  if (configured !== undefined) return configured;
  const [first] = getArray(pod, ['spec', 'containers']) ?? [];
  const ofContainer = isObject(first) ? getObject(first, ['securityContext']) : undefined;
  if (ofContainer !== undefined) return ofContainer;
  return securityOfPod(getObject(pod, ['spec', 'securityContext']) ?? {});
}

function securityOfPod({ runAsUser, runAsGroup, runAsNonRoot }: JsonObject): JsonObject {
  // "Not root" would contradict a pod that runs as root.
  const standard = runAsUser === 0 ? withoutKeys(DEFAULT_SECURITY, ['runAsNonRoot']) : DEFAULT_SECURITY;
  return {
    ...standard,
    ...(runAsUser === undefined ? {} : { runAsUser }),
    ...(runAsUser === 0 && runAsNonRoot !== undefined ? { runAsNonRoot } : {}),
    ...(runAsGroup === undefined ? {} : { runAsGroup }),
  };
}

/** Undefined where nothing is configured, or something that cannot be read: Velero then logs that and goes on. */
function configuredSecurity(config: Config): JsonObject | undefined {
  const [user, group] = [config['secCtxRunAsUser'] ?? '', config['secCtxRunAsGroup'] ?? ''];
  const [escalation, whole] = [config['secCtxAllowPrivilegeEscalation'] ?? '', config['secCtx'] ?? ''];
  if (user === '' && group === '' && escalation === '' && whole === '') return undefined;
  try {
    const overriding = whole === '' ? {} : parseSigsYaml(whole);
    if (!isObject(overriding)) return undefined;
    return {
      ...(user === '' ? {} : { runAsUser: integer(user) }),
      ...(group === '' ? {} : { runAsGroup: integer(group) }),
      ...(escalation === '' ? {} : { allowPrivilegeEscalation: parseGoBool(escalation) }),
      ...overriding,
    };
  } catch {
    return undefined;
  }
}

function integer(text: string): number {
  const value = Number(text);
  if (/^[+-]?\d+$/.test(text) && Number.isSafeInteger(value)) return value;
  throw new RangeError('no integer');
}
