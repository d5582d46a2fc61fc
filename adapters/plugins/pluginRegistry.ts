import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RestoreItemAction } from '../../domain/actions/action.ts';
import { checkActionName } from '../../domain/actions/actionName.ts';
import { messageOf } from '../../domain/messageOf.ts';
import { remember } from '../../domain/remember.ts';
import { discoverPlugins } from './discoverPlugins.ts';
import { PluginError } from './pluginError.ts';
import { type CallSpec, PluginHost } from './pluginHost.ts';
import type { PluginLogger } from './pluginLog.ts';
import type { PluginCommand } from './pluginProcess.ts';
import { openRestoreItemAction } from './restoreItemAction.ts';

/** What a program may offer; others are refused, as Velero does. */
const KINDS = [
  'BackupItemAction',
  'BackupItemActionV2',
  'VolumeSnapshotter',
  'ObjectStore',
  'RestoreItemAction',
  'RestoreItemActionV2',
  'DeleteItemAction',
  'ItemBlockAction',
] as const;
export type PluginKind = (typeof KINDS)[number];

const LIST_PLUGINS: CallSpec = {
  service: 'generated.PluginLister',
  method: 'ListPlugins',
  timeoutMs: 60_000,
  repeatable: true,
};

export interface PluginRegistryOptions {
  readonly directory?: string | undefined;
  /** Programs beside those of the directory; they come first. */
  readonly commands?: readonly PluginCommand[] | undefined;
  readonly log: PluginLogger;
  /** How much plugins log; Velero's names. Default `info`. */
  readonly logLevel?: 'trace' | 'debug' | 'info' | 'warning' | 'error' | undefined;
  /** Velero's feature flags, told to plugins. */
  readonly features?: readonly string[] | undefined;
  /** Beside the worker's own environment, e.g. KUBECONFIG. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** Default one minute. */
  readonly startTimeoutMs?: number | undefined;
}

interface Registered {
  readonly kind: PluginKind;
  readonly name: string;
  readonly host: PluginHost;
}

/** The plugins of a worker: one process for each program (spec plugin-protocol.md §5, §9, §11). */
export class PluginRegistry {
  private readonly hosts: PluginHost[];
  private readonly registered: readonly Registered[];
  /** Only for this user; gone when the registry is closed. */
  readonly privateDirectory: string;

  /**
   * The restore item actions in the order in which they run: program by program, version 1 before version 2, by name. What is offered
   * as both runs once, as version 2.
   * @throws PluginError where an action does not tell what it applies to: the restore cannot begin.
   */
  readonly restoreItemActions = remember(() => this.openActions());

  private constructor(hosts: PluginHost[], registered: readonly Registered[], socketDirectory: string) {
    this.hosts = hosts;
    this.registered = registered;
    this.privateDirectory = socketDirectory;
  }

  /**
   * Finds the programs, starts each and asks what it offers.
   * @throws PluginError naming the program that cannot be used: as with Velero, one stray program keeps the worker from starting.
   */
  static async open(options: PluginRegistryOptions): Promise<PluginRegistry> {
    const { directory, commands = [], log } = options;
    const found = directory === undefined ? [] : await discoverPlugins(directory, log);
    const socketDirectory = await mkdtemp(join(tmpdir(), 'velero-plugins-'));
    const hosts = [...commands, ...found.map((path) => ({ path }))].map((command) => {
      const { path } = command;
      const name = path.slice(path.lastIndexOf('/') + 1);
      return new PluginHost({
        command,
        serverArgs: serverArgs(options),
        environment: options.environment,
        socketDirectory,
        log: (level, message, fields) => {
          log(level, message, { ...fields, pluginName: name });
        },
        startTimeoutMs: options.startTimeoutMs,
      });
    });
    const registry = new PluginRegistry(hosts, [], socketDirectory);
    try {
      const registered = await register(hosts);
      return new PluginRegistry(hosts, registered, socketDirectory);
    } catch (error) {
      await registry.close();
      throw error;
    }
  }

  /** `kind name` of everything that is offered, in order of registration. */
  get offered(): readonly { readonly kind: PluginKind; readonly name: string; readonly program: string }[] {
    return this.registered.map(({ kind, name, host }) => ({ kind, name, program: host.path }));
  }

  /**
   * The program that offers something of that kind; a name without a `/` is one of `velero.io/`.
   * @throws PluginError `PluginUnknown`
   */
  find(kind: PluginKind, name: string): { readonly host: PluginHost; readonly name: string } {
    const whole = name.includes('/') ? name : `velero.io/${name}`;
    const found = this.registered.find((one) => one.kind === kind && one.name === whole);
    if (found !== undefined) return { host: found.host, name: whole };
    const known = this.registered.filter((one) => one.kind === kind).map((one) => one.name);
    throw new PluginError(
      'PluginUnknown',
      `unable to locate ${kind} plugin named ${whole}; this worker has: ${known.join(', ') || 'none'}`,
    );
  }

  /**
   * As {@link find}, with a process of its own: a store keeps one configuration in a process, and each location has its own.
   * @throws PluginError `PluginUnknown`
   */
  dedicate(
    kind: 'ObjectStore' | 'VolumeSnapshotter',
    name: string,
  ): { readonly host: PluginHost; readonly name: string } {
    const found = this.find(kind, name);
    const host = found.host.another();
    this.hosts.push(host);
    return { host, name: found.name };
  }

  /** Ends every process; none is left behind. */
  async close(): Promise<void> {
    await Promise.all(this.hosts.map((host) => host.stop()));
    await rm(this.privateDirectory, { recursive: true, force: true });
  }

  private async openActions(): Promise<readonly RestoreItemAction[]> {
    const actions: RestoreItemAction[] = [];
    for (const host of this.hosts) {
      const own = this.registered.filter((one) => one.host === host);
      const v2 = own.filter(({ kind }) => kind === 'RestoreItemActionV2');
      const v1 = own.filter(({ kind, name }) => kind === 'RestoreItemAction' && !v2.some((one) => one.name === name));
      for (const { name } of v1) actions.push(await openRestoreItemAction(host, name, 1));
      for (const { name } of v2) actions.push(await openRestoreItemAction(host, name, 2));
    }
    return actions;
  }
}

function serverArgs({ logLevel = 'info', features = [] }: PluginRegistryOptions): string[] {
  return [`--log-level=${logLevel}`, ...(features.length > 0 ? [`--features=${features.join(',')}`] : [])];
}

async function register(hosts: readonly PluginHost[]): Promise<Registered[]> {
  const registered: Registered[] = [];
  for (const host of hosts) {
    const refuse = (what: string): PluginError => new PluginError('PluginRegistration', `plugin ${host.path}: ${what}`);
    const plugins = await listPlugins(host);
    for (const { kind, name } of plugins) {
      if (!isKind(kind))
        throw refuse(`invalid plugin kind: ${JSON.stringify(kind)}, expected one of ${KINDS.join(', ')}`);
      try {
        checkActionName(name);
      } catch (error) {
        throw refuse(`${kind}: ${messageOf(error)}`);
      }
      const twin = registered.find((one) => one.kind === kind && one.name === name);
      if (twin !== undefined) throw refuse(`${kind} plugin ${name} is already registered by ${twin.host.path}`);
      registered.push({ kind, name, host });
    }
  }
  return registered;
}

async function listPlugins(host: PluginHost): Promise<readonly { readonly kind: string; readonly name: string }[]> {
  try {
    return (await host.call<{ plugins: readonly { kind: string; name: string }[] }>(LIST_PLUGINS, {})).plugins;
  } catch (error) {
    if (!(error instanceof PluginError) || error.type !== 'PluginCall') throw error;
    throw new PluginError('PluginStart', `plugin ${host.name} does not tell what it offers: ${error.message}`, {
      cause: error,
    });
  }
}

function isKind(kind: string): kind is PluginKind {
  return (KINDS as readonly string[]).includes(kind);
}
