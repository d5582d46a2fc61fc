import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection, type ConnectionOptions } from '@temporalio/client';
import { TemporalUnreachable } from './errors.ts';
import { whyNoTcp } from './tcpProbe.ts';
import type { TemporalConfig } from './temporalConfig.ts';
import { grpcFault, toClientError } from './temporalErrors.ts';

/** As gRPC reads them. */
const PROXY_VARIABLES = ['grpc_proxy', 'https_proxy', 'http_proxy'];
/** A server that is just being started deserves another look. */
const SECOND_LOOK_MS = 800;
/** Time for a connection to come up and the server to say its first word. Milliseconds. */
const CONNECT_TIMEOUT_MS = 6_000;

/**
 * Connects to a Temporal server and makes sure that it answers.
 * @param timeoutMs default 6 s
 * @throws TemporalUnreachable when it does not answer in time, TemporalAccessDenied
 */
export async function connectTemporal(config: TemporalConfig, timeoutMs = CONNECT_TIMEOUT_MS): Promise<Client> {
  const { address, namespace, tls, apiKey, metadata } = config;
  const options: ConnectionOptions = {
    address,
    connectTimeout: timeoutMs,
    ...(tls === undefined ? {} : { tls }),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(metadata === undefined ? {} : { metadata: { ...metadata } }),
  };
  const connection = Connection.lazy(options);
  const connected = connection.ensureConnected();
  // Its failure is told below, or there is a better reason for it.
  connected.catch(() => undefined);
  try {
    await Promise.race([connected, whileRefused(address, timeoutMs)]);
    return new Client({ connection, namespace });
  } catch (error) {
    await connection.close();
    if (error instanceof TemporalUnreachable) throw error;
    if (grpcFault(error) !== undefined) throw toClientError(error, config);
    throw new TemporalUnreachable(address, noWord(tls), { cause: error });
  }
}

function noWord(tls: TemporalConfig['tls']): string {
  const spoken = tls === undefined || tls === false ? 'without TLS' : 'with TLS';
  return `something listens there but did not answer as a Temporal server (asked ${spoken})`;
}

/**
 * gRPC tries on until its time is up and then says only that; plain TCP knows sooner, and knows why.
 * @returns a promise that never resolves. It rejects when TCP has failed twice within a second; through a proxy it says nothing.
 */
async function whileRefused(address: string, timeoutMs: number): Promise<never> {
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon).replace(/^\[|\]$/g, '');
  const probe = (): Promise<string | undefined> => whyNoTcp(host, Number(address.slice(colon + 1)), timeoutMs);
  const proxied = PROXY_VARIABLES.some((name) => Boolean(process.env[name]));
  if (!proxied && (await probe()) !== undefined) {
    await sleep(SECOND_LOOK_MS);
    const reason = await probe();
    if (reason !== undefined) throw new TemporalUnreachable(address, reason);
  }
  return new Promise(() => undefined);
}
