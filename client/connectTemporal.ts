import { Client, Connection, type ConnectionOptions } from '@temporalio/client';
import { TemporalUnreachable } from './errors.ts';
import { whyNoTcp } from './tcpProbe.ts';
import type { TemporalConfig } from './temporalConfig.ts';
import { grpcFault, toClientError } from './temporalErrors.ts';

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
  // gRPC tries on until the time is up and then says only that: the reason has to be found out beside it.
  const reason = whyUnreachable(address, timeoutMs);
  try {
    await connection.ensureConnected();
    return new Client({ connection, namespace });
  } catch (error) {
    await connection.close();
    if (grpcFault(error) !== undefined) throw toClientError(error, config);
    throw new TemporalUnreachable(address, (await reason) ?? noWord(tls), { cause: error });
  }
}

function noWord(tls: TemporalConfig['tls']): string {
  const spoken = tls === undefined || tls === false ? 'without TLS' : 'with TLS';
  return `something listens there but did not answer as a Temporal server (asked ${spoken})`;
}

function whyUnreachable(address: string, timeoutMs: number): Promise<string | undefined> {
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon).replace(/^\[|\]$/g, '');
  return whyNoTcp(host, Number(address.slice(colon + 1)), timeoutMs);
}
