import { basename } from 'node:path';
import { type CallOptions, type ServiceError, status } from '@grpc/grpc-js';
import { messageOf } from '../../domain/messageOf.ts';
import { PluginError } from './pluginError.ts';
import { PluginProcess, type PluginProcessOptions } from './pluginProcess.ts';
import { methodOf, type ServiceName } from './protocol.ts';

export interface CallSpec {
  readonly service: ServiceName;
  readonly method: string;
  readonly timeoutMs: number;
  /** True where nothing is lost when the call is made again after the plugin died in the middle of it. */
  readonly repeatable: boolean;
}

/** Velero allows so many starts in a row that fail (spec plugin-protocol.md §9). */
const MAX_FAILURES = 10;
/** A call during which the plugin died is made again so often. */
const REPEATS = 2;
/** So long a dead connection may come before the news of the dead process. */
const EXIT_NEWS_MS = 1_000;

/** What a process must be told before anything else, whenever it was started anew. */
export type Primer = (process: PluginProcess) => Promise<void>;

/**
 * A plugin program that is started when it is needed, and again when it has died (spec plugin-protocol.md §9). All who use it share the
 * process; calls run side by side.
 */
export class PluginHost {
  readonly name: string;
  private readonly options: PluginProcessOptions;
  private readonly primers: Primer[] = [];
  private running: Promise<PluginProcess> | undefined;
  private failures = 0;
  private lane: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(options: PluginProcessOptions) {
    this.options = options;
    this.name = basename(options.command.path);
  }

  /** The same program, to be run as a process of its own. */
  another(): PluginHost {
    return new PluginHost(this.options);
  }

  /** Full path, for messages about several programs. */
  get path(): string {
    return this.options.command.path;
  }

  /**
   * Adds what each new process must be told first, one after another: a plugin's handlers are made at their first call, and not safely by
   * two at once. A process that runs already is told now.
   */
  async prime(primer: Primer): Promise<void> {
    const process = await this.process();
    await primer(process);
    this.primers.push(primer);
  }

  /**
   * Makes a call, on a process that is started first where there is none.
   * @throws PluginError `PluginStart`, `PluginDied`, `PluginCall`; the message of the latter is the one that Velero's results show.
   */
  async call<Response>(spec: CallSpec, request: object): Promise<Response> {
    for (let repeats = 0; ; repeats++) {
      // The process dies for all calls in flight, and only one is to blame: repeated ones go one after another, to find out which.
      const result = await (repeats === 0
        ? this.attempt(spec, request)
        : this.alone(() => this.attempt(spec, request)));
      if (!('died' in result)) return result.response as Response;
      if (!spec.repeatable || repeats >= REPEATS) {
        const inARow = spec.repeatable ? `, ${repeats + 1} times in a row` : '';
        throw new PluginError('PluginDied', `plugin ${this.name} died (${result.died}) during ${spec.method}${inARow}`);
      }
    }
  }

  /** @throws PluginError for every failure but the death of the process. */
  private async attempt(
    spec: CallSpec,
    request: object,
  ): Promise<{ readonly response: unknown } | { readonly died: string }> {
    const process = await this.process();
    try {
      return { response: await unaryCall(process, spec, request) };
    } catch (error) {
      const died = await this.deathBehind(process, error);
      if (died === undefined) throw this.callError(spec, error);
      return { died };
    }
  }

  private async alone<T>(run: () => Promise<T>): Promise<T> {
    const before = this.lane;
    const mine = before.then(run);
    this.lane = mine.then(
      () => undefined,
      () => undefined,
    );
    return mine;
  }

  /** The running process, for calls that stream. @throws PluginError */
  async process(): Promise<PluginProcess> {
    if (this.stopped) throw new PluginError('PluginStart', `plugin ${this.name}: the worker is stopping`);
    const current = await this.running?.catch(() => undefined);
    if (current !== undefined && current.end === undefined) return current;
    // Whoever came first after its end starts it; the others wait for the same.
    this.running = this.starting ??= this.start().finally(() => {
      this.starting = undefined;
    });
    return this.running;
  }

  private starting: Promise<PluginProcess> | undefined;

  private async start(): Promise<PluginProcess> {
    if (this.failures > MAX_FAILURES) {
      throw new PluginError(
        'PluginDied',
        `plugin ${this.name}: unable to restart plugin process: exceeded maximum number of reset failures`,
      );
    }
    try {
      const process = await PluginProcess.start(this.options);
      try {
        for (const primer of this.primers) await primer(process);
      } catch (error) {
        await process.stop();
        throw error;
      }
      this.failures = 0;
      void process.exited.then((how) => {
        if (!this.stopped) this.options.log('warn', `plugin process ended: ${how}`, {});
      });
      return process;
    } catch (error) {
      this.failures += 1;
      throw error;
    }
  }

  /** Ends the process for good. */
  async stop(): Promise<void> {
    this.stopped = true;
    const process = await this.running?.catch(() => undefined);
    await process?.stop();
  }

  /** How the process ended, where that is why the call failed. */
  async deathBehind(process: PluginProcess, error: unknown): Promise<string | undefined> {
    if (codeOf(error) !== status.UNAVAILABLE && codeOf(error) !== status.CANCELLED) return undefined;
    const nothing = new Promise<undefined>((resolve) => setTimeout(resolve, EXIT_NEWS_MS, undefined).unref());
    return Promise.race([process.exited, nothing]);
  }

  /** A failed call as Velero words it: `rpc error: code = Unknown desc = …`. */
  callError({ method, timeoutMs }: CallSpec, error: unknown): PluginError {
    const code = codeOf(error);
    if (code === status.DEADLINE_EXCEEDED) {
      return new PluginError(
        'PluginCall',
        `plugin ${this.name} did not answer ${method} within ${timeoutMs / 1_000} s`,
        { cause: error },
      );
    }
    const details = (error as Partial<ServiceError>).details ?? messageOf(error);
    const name = code === undefined ? 'Unknown' : codeName(code);
    return new PluginError('PluginCall', `rpc error: code = ${name} desc = ${details}`, { cause: error });
  }
}

function codeOf(error: unknown): status | undefined {
  const code = (error as Partial<ServiceError> | undefined)?.code;
  return typeof code === 'number' ? code : undefined;
}

/** `RESOURCE_EXHAUSTED` as Go writes it: `ResourceExhausted`. */
function codeName(code: status): string {
  const name = status[code];
  return name
    .split('_')
    .map((word) => `${word.slice(0, 1)}${word.slice(1).toLowerCase()}`)
    .join('');
}

/** A single call on a process that is known to run. @throws ServiceError */
export function unaryCall<Response>(
  { client }: PluginProcess,
  { service, method, timeoutMs }: CallSpec,
  request: object,
): Promise<Response> {
  const { path, requestSerialize, responseDeserialize } = methodOf(service, method);
  const options: CallOptions = { deadline: Date.now() + timeoutMs };
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, options, (error, response) => {
      if (error !== null) reject(error);
      else resolve(response as Response);
    });
  });
}
