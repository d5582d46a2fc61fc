import { z } from 'zod';

const server = z.strictObject({
  name: z.string(),
  pid: z.int().positive(),
  /** Absolute path of the program that runs under that process id. */
  program: z.string(),
  /** Answers 200 when the server is well. */
  healthUrl: z.string(),
});

/** What `up` leaves for `down` and `status`: enough to find, check and stop the servers. */
export const clusterStateSchema = z.strictObject({
  controllers: z.enum(['minimal', 'all', 'none']),
  url: z.string(),
  kubeconfig: z.string(),
  ports: z.strictObject({
    etcd: z.int(),
    etcdPeer: z.int(),
    apiServer: z.int(),
    controllerManager: z.int().optional(),
  }),
  /** In the order of their start. */
  servers: z.array(server),
});

export type ClusterState = z.infer<typeof clusterStateSchema>;
export type ClusterServer = z.infer<typeof server>;
