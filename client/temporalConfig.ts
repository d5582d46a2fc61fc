import { type ClientConfigProfile, loadClientConfigProfile, toClientOptions } from '@temporalio/envconfig';
import { messageOf } from '../domain/messageOf.ts';
import { InvalidTemporalConfig } from './errors.ts';

/** Where the Temporal server is and how to talk to it; the same for client and worker. */
export interface TemporalConfig {
  readonly address: string;
  readonly namespace: string;
  readonly tls?: object | boolean | undefined;
  readonly apiKey?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** What a caller gives goes before `TEMPORAL_*` variables, and those before the profile of the configuration file. */
export interface TemporalConfigOptions {
  /** `host:port`. Default: `TEMPORAL_ADDRESS`, the profile's, `localhost:7233`. */
  readonly address?: string | undefined;
  /** Default: `TEMPORAL_NAMESPACE`, the profile's, `default`. */
  readonly namespace?: string | undefined;
  readonly apiKey?: string | undefined;
  /** Profile of the configuration file. Default: `TEMPORAL_PROFILE`, `default`. */
  readonly profile?: string | undefined;
  /** Configuration file (TOML). Default: `TEMPORAL_CONFIG_FILE`, `temporalio/temporal.toml` of the user's configuration folder. */
  readonly configFile?: string | undefined;
}

/**
 * Reads the connection settings as every Temporal tool does (envconfig): options, `TEMPORAL_*` variables, profile. An API key
 * switches TLS on.
 * @throws InvalidTemporalConfig
 */
export function loadTemporalConfig(options: TemporalConfigOptions = {}): TemporalConfig {
  try {
    const profile = withOptions(loadProfile(options), options);
    const { connectionOptions, namespace } = toClientOptions(profile);
    const { tls, metadata } = connectionOptions;
    return {
      address: checkedAddress(profile.address ?? 'localhost:7233'),
      namespace: namespace ?? 'default',
      ...(tls === undefined || tls === null ? {} : { tls }),
      ...(profile.apiKey === undefined ? {} : { apiKey: profile.apiKey }),
      ...(metadata === undefined ? {} : { metadata: metadata as Record<string, string> }),
    };
  } catch (error) {
    if (error instanceof InvalidTemporalConfig) throw error;
    const reason = messageOf(error);
    throw new InvalidTemporalConfig(`settings of the Temporal connection cannot be used: ${reason}`, { cause: error });
  }
}

function loadProfile({ profile, configFile }: TemporalConfigOptions): ClientConfigProfile {
  return loadClientConfigProfile({
    ...(profile === undefined ? {} : { profile }),
    ...(configFile === undefined ? {} : { configSource: { path: configFile } }),
  });
}

function withOptions(
  profile: ClientConfigProfile,
  { address, namespace, apiKey }: TemporalConfigOptions,
): ClientConfigProfile {
  return {
    ...profile,
    ...(address === undefined ? {} : { address }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(apiKey === undefined ? {} : { apiKey }),
  };
}

/** gRPC would take a text without a port for the name of a host, and say so only after a long wait. */
function checkedAddress(address: string): string {
  if (/^[^\s/]+:\d{1,5}$/.test(address)) return address;
  throw new InvalidTemporalConfig(`Temporal address: found ${JSON.stringify(address)}, expected host:port`);
}
