/**
 * The worker, loaded when it is needed: it brings Temporal's native code and the clients of Kubernetes and S3, a second of loading
 * that most commands can do without.
 */
export function loadWorker() {
  return import('../worker/index.ts');
}
