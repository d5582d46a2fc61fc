import { z } from 'zod';

/**
 * The parts of a kubeconfig file (kind Config) that are used; everything else passes unread. Fields may be null: kubectl
 * writes `users: null` into a fresh file.
 */
const text = z.string().nullish();
const flag = z.boolean().nullish();

const cluster = z.object({
  server: z.string(),
  'certificate-authority': text,
  'certificate-authority-data': text,
  'insecure-skip-tls-verify': flag,
  'tls-server-name': text,
  'proxy-url': text,
});

const exec = z.object({
  apiVersion: text,
  command: z.string().min(1),
  args: z.array(z.string()).nullish(),
  env: z.array(z.object({ name: z.string(), value: z.string() })).nullish(),
  installHint: text,
  provideClusterInfo: flag,
});

const user = z.object({
  'client-certificate': text,
  'client-certificate-data': text,
  'client-key': text,
  'client-key-data': text,
  token: text,
  tokenFile: text,
  username: text,
  password: text,
  as: text,
  'as-uid': text,
  'as-groups': z.array(z.string()).nullish(),
  'as-user-extra': z.record(z.string(), z.array(z.string())).nullish(),
  'auth-provider': z.object({ name: z.string(), config: z.record(z.string(), z.string()).nullish() }).nullish(),
  exec: exec.nullish(),
});

export const KubeconfigFile = z.object({
  'current-context': text,
  clusters: z.array(z.object({ name: z.string(), cluster })).nullish(),
  users: z.array(z.object({ name: z.string(), user: user.nullish() })).nullish(),
  contexts: z
    .array(z.object({ name: z.string(), context: z.object({ cluster: z.string(), user: text, namespace: text }) }))
    .nullish(),
});

export type KubeconfigFile = z.infer<typeof KubeconfigFile>;
export type KubeconfigCluster = z.infer<typeof cluster>;
export type KubeconfigUser = z.infer<typeof user>;
