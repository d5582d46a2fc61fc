import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PluginObjectStore } from '../adapters/plugins/pluginObjectStore.ts';
import type { PluginRegistry } from '../adapters/plugins/pluginRegistry.ts';
import { openVolumeSnapshotter } from '../adapters/plugins/pluginVolumeSnapshotter.ts';
import { type ObjectStore, ObjectStoreError } from '../domain/backup/objectStore.ts';
import type { BackupStorageLocation, SecretKeySelector } from '../domain/backup/storageLocation.ts';
import { getString } from '../domain/json.ts';
import type { KubernetesApi } from '../domain/kubernetes/api.ts';
import type { VolumeSnapshotter, VolumeSnapshotters } from '../domain/volumes/volumeSnapshotter.ts';

/** Reads keys of Secrets of a namespace of the target cluster. */
export type ReadNamespacedSecret = (namespace: string, selector: SecretKeySelector) => Promise<Uint8Array | undefined>;

/** @throws Error where the API server refuses; undefined where Secret or key is missing. */
export function secretReader(kubernetes: KubernetesApi): ReadNamespacedSecret {
  return async (namespace, { name, key }) => {
    const found = await kubernetes.get({ group: '', version: 'v1', resource: 'secrets', namespace, name });
    if (!found.ok && found.status === 404) return undefined;
    if (!found.ok) throw new Error(`Secret ${namespace}/${name}: ${found.message}`);
    const value = getString(found.object, ['data', key]);
    return value === undefined ? undefined : Buffer.from(value, 'base64');
  };
}

/** Gives stores of plugin programs to the activities of a worker. */
export class PluginStores implements VolumeSnapshotters {
  private readonly registry: PluginRegistry;
  private readonly readSecret: ReadNamespacedSecret;
  private readonly snapshotters = new Map<string, Promise<VolumeSnapshotter>>();

  constructor(registry: PluginRegistry, readSecret: ReadNamespacedSecret) {
    this.registry = registry;
    this.readSecret = readSecret;
  }

  /** Whether a plugin of this worker serves the location. */
  serves({ provider }: BackupStorageLocation): boolean {
    const name = provider.includes('/') ? provider : `velero.io/${provider}`;
    return this.registry.offered.some((one) => one.kind === 'ObjectStore' && one.name === name);
  }

  /**
   * The object store of a location whose provider is not built in, configured as Velero does (spec backup-format.md §8).
   * @throws ObjectStoreError `InvalidConfiguration`
   */
  async openObjectStore(location: BackupStorageLocation): Promise<ObjectStore> {
    const { bucket, prefix, caCert, caCertRef, credential, namespace } = location;
    const ca = caCertRef === undefined ? caCert : (await this.secret(namespace, caCertRef)).toString('utf8');
    const config = {
      ...location.config,
      bucket,
      prefix,
      ...(ca === undefined ? {} : { caCert: ca }),
      ...(await this.credentialsFile(namespace, credential)),
    };
    const { host, name } = this.registry.dedicate('ObjectStore', location.provider);
    try {
      return await PluginObjectStore.open({ host, name, bucket, prefix: prefix.replace(/^\/+|\/+$/g, ''), config });
    } catch (error) {
      await host.stop();
      throw error;
    }
  }

  /** One process for each location, however many volumes are made from it. */
  open(location: Parameters<VolumeSnapshotters['open']>[0]): Promise<VolumeSnapshotter> {
    const key = JSON.stringify(location);
    const opening = this.snapshotters.get(key) ?? this.openSnapshotter(location);
    this.snapshotters.set(key, opening);
    opening.catch(() => this.snapshotters.delete(key));
    return opening;
  }

  private async openSnapshotter(location: Parameters<VolumeSnapshotters['open']>[0]): Promise<VolumeSnapshotter> {
    const config = { ...location.config, ...(await this.credentialsFile(location.namespace, location.credential)) };
    const { host, name } = this.registry.dedicate('VolumeSnapshotter', location.provider);
    try {
      return await openVolumeSnapshotter({ host, name, config });
    } catch (error) {
      await host.stop();
      throw error;
    }
  }

  private async secret(namespace: string, selector: SecretKeySelector): Promise<Buffer> {
    const value = await this.readSecret(namespace, selector);
    if (value !== undefined) return Buffer.from(value);
    throw new ObjectStoreError(
      'InvalidConfiguration',
      `Secret ${namespace}/${selector.name} has no key ${JSON.stringify(selector.key)}, which the location selects`,
    );
  }

  /** Plugins read credentials from a file: only this user can, and it goes with the worker. */
  private async credentialsFile(
    namespace: string,
    credential: SecretKeySelector | undefined,
  ): Promise<{ readonly credentialsFile?: string }> {
    if (credential === undefined) return {};
    const content = await this.secret(namespace, credential);
    const name = createHash('sha256').update(`${namespace}/${credential.name}/${credential.key}`).digest('hex');
    const path = join(this.registry.privateDirectory, `credentials-${name.slice(0, 16)}`);
    await writeFile(path, content, { mode: 0o600 });
    return { credentialsFile: path };
  }
}
