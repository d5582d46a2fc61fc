import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isExisting } from './existing.ts';

export interface ControlPlaneCredentials {
  /** Bearer token of the user `admin`, who is in system:masters. */
  readonly token: string;
  readonly tokenFile: string;
  /** Key pair that signs and checks the tokens of ServiceAccounts. */
  readonly serviceAccountKey: string;
  readonly serviceAccountPublicKey: string;
}

/** The keys and the token of a control plane: those in its directory, or new ones (files for the owner only). */
export async function controlPlaneCredentials(directory: string): Promise<ControlPlaneCredentials> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const tokenFile = join(directory, 'tokens.csv');
  const serviceAccountKey = join(directory, 'sa.key');
  const serviceAccountPublicKey = join(directory, 'sa.pub');
  if (!(await isExisting(serviceAccountPublicKey))) {
    const pair = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    });
    await writeFile(serviceAccountKey, pair.privateKey, { mode: 0o600 });
    await writeFile(serviceAccountPublicKey, pair.publicKey, { mode: 0o600 });
  }
  if (!(await isExisting(tokenFile))) {
    await writeFile(tokenFile, `${randomBytes(24).toString('hex')},admin,admin,system:masters\n`, { mode: 0o600 });
  }
  const token = (await readFile(tokenFile, 'utf8')).split(',', 1)[0] ?? '';
  return { token, tokenFile, serviceAccountKey, serviceAccountPublicKey };
}
