import { getIn, isObject, type Json, type JsonObject, type JsonPath, setIn } from '../json.ts';
import { parseJson } from '../jsonText.ts';
import { readInteger, readList, readObject, readObjects, readString, wrongType } from './itemFields.ts';

const LAST_APPLIED = ['metadata', 'annotations', 'kubectl.kubernetes.io/last-applied-configuration'];
const MANAGED_FIELDS = ['metadata', 'managedFields'];

/**
 * Tells of a port of the Service, by its path in it, whether somebody asked for its nodePort (spec item-actions.md §5.15). Where the
 * annotation of `kubectl apply` is there only that counts: a named port was asked for if the annotation gives its name
 * any nodePort, an unnamed one if the annotation gives an unnamed port the same nodePort. Otherwise managedFields count.
 * @throws ActionError `ItemFieldType` where annotation, managedFields or ports are not what they must be.
 */
export function explicitNodePorts(service: JsonObject): (port: JsonPath) => boolean {
  const applied = lastApplied(service);
  return applied === undefined ? ownedNodePorts(service) : appliedNodePorts(service, applied);
}

/**
 * Whether somebody asked for the healthCheckNodePort: in the annotation of `kubectl apply` (neither null nor 0) or in any entry of
 * managedFields.
 * @throws ActionError `ItemFieldType`
 */
export function isHealthCheckNodePortExplicit(service: JsonObject): boolean {
  const applied = lastApplied(service);
  const port =
    applied === undefined ? undefined : readInteger(applied, [...LAST_APPLIED, 'spec', 'healthCheckNodePort']);
  if (port !== undefined && port !== 0) return true;
  return ownedSpecs(service).some((path) => readObject(service, [...path, 'f:healthCheckNodePort']) !== undefined);
}

/** The Service with the annotation parsed in its place, so that errors name the whole path; undefined where it has none. */
function lastApplied(service: JsonObject): JsonObject | undefined {
  const text = readString(service, LAST_APPLIED);
  if (text === undefined) return undefined;
  try {
    return setIn(service, LAST_APPLIED, parseJson(text));
  } catch {
    throw wrongType(LAST_APPLIED, 'the JSON of an object', text);
  }
}

function appliedNodePorts(service: JsonObject, applied: JsonObject): (port: JsonPath) => boolean {
  const names = new Set<string>();
  const unnamed = new Set<number>();
  const portsPath = [...LAST_APPLIED, 'spec', 'ports'];
  for (const [index, port] of (readList(applied, portsPath) ?? []).entries()) {
    if (!isObject(port)) continue;
    const nodePort = appliedNodePort(port['nodePort'], [...portsPath, index, 'nodePort']);
    if (nodePort <= 0) continue;
    const name = readString(applied, [...portsPath, index, 'name']) ?? '';
    if (name === '') unnamed.add(nodePort);
    else names.add(name);
  }
  return (port) => {
    const name = readString(service, [...port, 'name']) ?? '';
    return name === '' ? unnamed.has(nodePortOf(service, port)) : names.has(name);
  };
}

/** The annotation holds what people wrote: a number or its text. Zero for anything that asks for no port. */
function appliedNodePort(value: Json | undefined, path: JsonPath): number {
  if (typeof value === 'number' || typeof value === 'bigint') return Math.trunc(Number(value));
  if (typeof value !== 'string') return 0;
  if (!/^[+-]?\d+$/.test(value)) throw wrongType(path, 'a number', value);
  return Number(value);
}

function ownedNodePorts(service: JsonObject): (port: JsonPath) => boolean {
  const owned = new Set<string>();
  for (const path of ownedSpecs(service)) {
    for (const [key, fields] of Object.entries(readObject(service, [...path, 'f:ports']) ?? {})) {
      if (getIn(fields, ['f:nodePort']) !== undefined) owned.add(key);
    }
  }
  return (port) => {
    const number = readInteger(service, [...port, 'port']) ?? 0;
    const protocol = readString(service, [...port, 'protocol']) ?? '';
    return owned.has(`k:{"port":${number},"protocol":"${protocol}"}`);
  };
}

/** Paths of the `f:spec` of all entries of managedFields. */
function ownedSpecs(service: JsonObject): JsonPath[] {
  return readObjects(service, MANAGED_FIELDS).map((_, index) => [...MANAGED_FIELDS, index, 'fieldsV1', 'f:spec']);
}

function nodePortOf(service: JsonObject, port: JsonPath): number {
  return Number(readInteger(service, [...port, 'nodePort']) ?? 0);
}
