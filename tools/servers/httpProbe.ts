import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';

export interface ProbeOptions {
  /** Bearer token. */
  readonly token?: string;
  /** Certificates to trust, PEM; without them the server's certificate is not checked. */
  readonly certificateAuthority?: string | undefined;
  readonly signal?: AbortSignal;
}

interface ProbeAnswer {
  readonly status: number;
  readonly body: string;
}

/** One GET on a connection of its own. Meant for health checks: small answers, read whole. */
async function get(url: string, options: ProbeOptions = {}): Promise<ProbeAnswer> {
  const { token, certificateAuthority, signal } = options;
  const secure = url.startsWith('https:');
  return new Promise((resolve, reject) => {
    const request = (secure ? httpsRequest : httpRequest)(
      url,
      {
        agent: false,
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
        ...(signal === undefined ? {} : { signal }),
        ...(secure ? { ca: certificateAuthority, rejectUnauthorized: certificateAuthority !== undefined } : {}),
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () => {
          resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') });
        });
      },
    );
    request.once('error', reject);
    request.end();
  });
}

/** Whether a GET is answered with 200. */
export async function answersOk(url: string, options: ProbeOptions = {}): Promise<boolean> {
  return (await get(url, options)).status === 200;
}
