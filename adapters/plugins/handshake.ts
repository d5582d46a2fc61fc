import { PluginError } from './pluginError.ts';

/** What the host says to a program so that it serves as a plugin (spec plugin-protocol.md §2). */
const HANDSHAKE_VARIABLES = {
  VELERO_PLUGIN: 'hello',
  PLUGIN_PROTOCOL_VERSIONS: '2',
  PLUGIN_MIN_PORT: '10000',
  PLUGIN_MAX_PORT: '25000',
} as const;

/** Would switch the plugin to mutual TLS, or to another kind of listener. */
const FOREIGN_VARIABLES: readonly string[] = [
  'PLUGIN_CLIENT_CERT',
  'PLUGIN_MULTIPLEX_GRPC',
  'PLUGIN_UNIX_SOCKET_GROUP',
];

const CORE_PROTOCOL = '1';
const APPLICATION_PROTOCOL = '2';
/** go-plugin takes shorter ones for none. */
const SHORTEST_CERTIFICATE = 50;
const SHOWN = 100;

/** A plugin's environment: the host's, and what makes it a plugin. @param socketDirectory private to the host */
export function pluginEnvironment(environment: NodeJS.ProcessEnv, socketDirectory: string): NodeJS.ProcessEnv {
  const own = Object.entries(environment).filter(([name]) => !FOREIGN_VARIABLES.includes(name));
  return { ...Object.fromEntries(own), ...HANDSHAKE_VARIABLES, PLUGIN_UNIX_SOCKET_DIR: socketDirectory };
}

/**
 * Where a plugin listens, from the first line that it printed, e.g. `1|2|unix|/tmp/plugin123|grpc|`.
 * @param name file name of the plugin, for messages.
 * @returns an address as gRPC takes it.
 * @throws PluginError `PluginStart`
 */
export function parseHandshake(line: string, name: string): string {
  const fields = line.trim().split('|');
  const [core, application, network, address = '', protocol = 'netrpc', certificate = ''] = fields;
  const refuse = (what: string): PluginError => new PluginError('PluginStart', `plugin ${name}: ${what}`);
  if (fields.length < 4) {
    throw refuse(
      `unrecognized remote plugin message: ${JSON.stringify(line.slice(0, SHOWN))}; expected 1|2|unix|<socket>|grpc|. This usually means that the file is not a Velero plugin`,
    );
  }
  if (core !== CORE_PROTOCOL) {
    throw refuse(`incompatible core API version ${JSON.stringify(core)} of its plugin library, expected 1`);
  }
  if (application !== APPLICATION_PROTOCOL) {
    throw refuse(`incompatible API version ${JSON.stringify(application)}, expected 2, which is Velero's`);
  }
  if (protocol !== 'grpc') throw refuse(`unsupported plugin protocol ${JSON.stringify(protocol)}, expected grpc`);
  if (certificate.length > SHORTEST_CERTIFICATE) throw refuse('it wants TLS, which Velero plugins do not use');
  if (network === 'unix') return `unix:${address}`;
  if (network === 'tcp') return address;
  throw refuse(`unknown address type ${JSON.stringify(network)}, expected unix or tcp`);
}
