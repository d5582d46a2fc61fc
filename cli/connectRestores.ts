import { RestoreClient } from '../client/index.ts';
import { CommandError } from './commandError.ts';
import { defaultDataDirectory } from './devServer/dataDirectory.ts';
import { findLocalServer } from './devServer/localServer.ts';
import { type LocalFlags, type TemporalFlags, temporalOptions } from './options/commonOptions.ts';
import { LOCAL_CLUSTER } from './run/runRequest.ts';

/** The restores of the Temporal server that flags and environment lead to. @throws RestoreClientError */
export function connectRestores(flags: TemporalFlags, veleroNamespace: string): Promise<RestoreClient> {
  return RestoreClient.connect({ ...temporalOptions(flags), cluster: flags.cluster, veleroNamespace });
}

/** Where a command that only looks finds restores. */
export interface Restores {
  readonly restores: RestoreClient;
  /** Where that is known. */
  readonly uiUrl: string | undefined;
}

/** Like {@link connectRestores}; with `--local` the server of `durable-restore run`. @throws CommandError `NoLocalServer` */
export async function connectToLook(flags: TemporalFlags & LocalFlags, veleroNamespace: string): Promise<Restores> {
  if (!flags.local) return { restores: await connectRestores(flags, veleroNamespace), uiUrl: undefined };
  const server = await findLocalServer(flags.dataDir);
  if (server === undefined) {
    const place = flags.dataDir ?? defaultDataDirectory();
    throw new CommandError('NoLocalServer', `no Temporal server of \`durable-restore run\` is running in ${place}`);
  }
  const { address, uiPort } = server;
  const restores = await RestoreClient.connect({
    address,
    namespace: 'default',
    cluster: LOCAL_CLUSTER,
    veleroNamespace,
  });
  return { restores, uiUrl: `http://127.0.0.1:${uiPort}` };
}
