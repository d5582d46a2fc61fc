import { describeJsonError } from '../../domain/backup/parseItem.ts';
import { isObject, type Json, type JsonObject } from '../../domain/json.ts';
import { parseJson, renderJson } from '../../domain/jsonText.ts';
import type { VolumeSnapshotter } from '../../domain/volumes/volumeSnapshotter.ts';
import { PluginError } from './pluginError.ts';
import { type PluginHost, unaryCall } from './pluginHost.ts';
import type { ServiceName } from './protocol.ts';

const SERVICE: ServiceName = 'generated.VolumeSnapshotter';
const CALL_TIMEOUT_MS = 120_000;
/** Making a volume may take a provider long. */
const CREATE_TIMEOUT_MS = 1_800_000;

export interface PluginVolumeSnapshotterOptions {
  /** A process of its own: a plugin program keeps one configuration for each name. */
  readonly host: PluginHost;
  /** Registered name, e.g. `velero.io/aws`. */
  readonly name: string;
  /** Of the location, with credentialsFile where it has a credential. */
  readonly config: Readonly<Record<string, string>>;
}

/**
 * The VolumeSnapshotter of a plugin program (spec plugin-protocol.md §6.6), initialised for its location; that is done again in each
 * new process. Making a volume is never done twice, whatever happens.
 * @throws PluginError
 */
export async function openVolumeSnapshotter(options: PluginVolumeSnapshotterOptions): Promise<VolumeSnapshotter> {
  const { host, name, config } = options;
  const init = { service: SERVICE, method: 'Init', timeoutMs: CALL_TIMEOUT_MS, repeatable: true };
  try {
    await host.prime(async (process) => {
      await unaryCall(process, init, { plugin: name, config });
    });
  } catch (error) {
    throw error instanceof PluginError ? error : host.callError(init, error);
  }
  return {
    async createVolumeFromSnapshot(snapshotID, volumeType, volumeAZ, iops) {
      const spec = {
        service: SERVICE,
        method: 'CreateVolumeFromSnapshot',
        timeoutMs: CREATE_TIMEOUT_MS,
        repeatable: false,
      };
      const request = { plugin: name, snapshotID, volumeType, volumeAZ, iops: String(iops ?? 0) };
      return (await host.call<{ volumeID: string }>(spec, request)).volumeID;
    },
    async setVolumeId(persistentVolume, volumeID) {
      const spec = { service: SERVICE, method: 'SetVolumeID', timeoutMs: CALL_TIMEOUT_MS, repeatable: true };
      const request = { plugin: name, persistentVolume: Buffer.from(renderJson(persistentVolume)), volumeID };
      const response = await host.call<{ persistentVolume: Uint8Array }>(spec, request);
      return volumeOf(host, name, response.persistentVolume);
    },
  };
}

function volumeOf(host: PluginHost, name: string, bytes: Uint8Array): JsonObject {
  const refuse = (what: string): PluginError =>
    new PluginError('PluginAnswer', `volume in the answer of ${name} of plugin ${host.name}: ${what}`);
  const text = new TextDecoder().decode(bytes);
  let volume: Json;
  try {
    volume = parseJson(text);
  } catch (error) {
    throw refuse(describeJsonError(text, error));
  }
  if (!isObject(volume)) throw refuse('expected a JSON object');
  return volume;
}
