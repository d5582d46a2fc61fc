import type { ClientReadableStream } from '@grpc/grpc-js';
import type { PluginProcess } from './pluginProcess.ts';
import { methodOf, type ServiceName } from './protocol.ts';

/** Plugins send and take pieces of this size (spec plugin-protocol.md §6.5). */
const CHUNK_BYTES = 16_384;

/** A plugin that sends nothing for so long hangs. */
const IDLE_MS = 120_000;

/** What a method streams to us. @throws ServiceError; DOMException where `signal` aborts. */
export async function* readStream<Message>(
  { client }: PluginProcess,
  service: ServiceName,
  method: string,
  request: object,
  signal: AbortSignal | undefined,
): AsyncGenerator<Message> {
  const { path, requestSerialize, responseDeserialize } = methodOf(service, method);
  const stream = client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, request);
  const cancel = (): void => {
    stream.cancel();
  };
  signal?.addEventListener('abort', cancel, { once: true });
  const watchdog = setTimeout(cancel, IDLE_MS);
  try {
    for await (const message of stream as ClientReadableStream<object> & AsyncIterable<object>) {
      watchdog.refresh();
      yield message as Message;
    }
  } finally {
    clearTimeout(watchdog);
    signal?.removeEventListener('abort', cancel);
    cancel();
  }
}

/**
 * Streams a content to a method; one that is empty still is a message, because without any the plugin knows neither bucket nor key.
 * @param head what the first message, and each, says beside its piece.
 */
export function writeStream(
  { client }: PluginProcess,
  service: ServiceName,
  method: string,
  head: object,
  content: Uint8Array,
  timeoutMs: number,
): Promise<void> {
  const { path, requestSerialize, responseDeserialize } = methodOf(service, method);
  return new Promise((resolve, reject) => {
    const options = { deadline: Date.now() + timeoutMs };
    const stream = client.makeClientStreamRequest(path, requestSerialize, responseDeserialize, options, (error) => {
      if (error === null) resolve();
      else reject(error);
    });
    // The status that tells why comes with the callback.
    stream.on('error', () => undefined);
    void send();

    async function send(): Promise<void> {
      for (let start = 0; start === 0 || start < content.length; start += CHUNK_BYTES) {
        const body = content.subarray(start, start + CHUNK_BYTES);
        if (stream.destroyed) return;
        if (!stream.write({ ...head, body })) await new Promise((drained) => stream.once('drain', drained));
      }
      stream.end();
    }
  });
}
