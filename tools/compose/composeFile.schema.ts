import { z } from 'zod';

/**
 * The part of a compose file that our rules look at, in the long forms that docker-compose.yml keeps to and that
 * compose-go normalises to. Everything else is the business of the compose specification's own schema.
 */
const serviceSchema = z.looseObject({
  image: z.string(),
  build: z.looseObject({ context: z.string() }).optional(),
  pull_policy: z.string().optional(),
  command: z.array(z.string()).nullish(),
  entrypoint: z.array(z.string()).nullish(),
  environment: z.record(z.string(), z.string()).default({}),
  user: z.string().optional(),
  depends_on: z.record(z.string(), z.looseObject({ condition: z.string() })).default({}),
  ports: z.array(z.looseObject({ host_ip: z.string().optional(), target: z.number() })).default([]),
  volumes: z
    .array(
      z.looseObject({ type: z.string(), source: z.string(), target: z.string(), read_only: z.boolean().optional() }),
    )
    .default([]),
  healthcheck: z.looseObject({ test: z.array(z.string()) }).optional(),
  restart: z.string().optional(),
});

export const composeFileSchema = z.looseObject({
  version: z.string().optional(),
  services: z.record(z.string(), serviceSchema),
  volumes: z.record(z.string(), z.unknown()).default({}),
});

export type ComposeFile = z.infer<typeof composeFileSchema>;
export type ComposeService = z.infer<typeof serviceSchema>;
