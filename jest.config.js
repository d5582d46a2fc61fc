/**
 * One jest project per tier, so that the fast tests can be run alone:
 *   unit         functions: no process, socket or wait (`npm run test:unit`, under half a minute)
 *   local        parts that start processes, talk through sockets, wait or take much memory; no servers to install
 *   workflow     workflow code on the time-skipping Temporal server
 *   integration  real Temporal, real Kubernetes API server, real S3 server
 *   full         what needs the second tier of servers or much time (`npm run test:full`)
 */
const shared = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  modulePathIgnorePatterns: ['<rootDir>/dist'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'es6' }, sourceMaps: 'inline' },
    ],
  },
};

const tier = (name, extra = {}) => ({
  ...shared,
  displayName: name,
  testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
  ...extra,
});

export default {
  // Jest's default leaves one core idle, which is half of a small machine.
  maxWorkers: '100%',
  // Long enough for a busy machine: what ends in a moment takes seconds where others work beside it.
  testTimeout: 60_000,
  workerGracefulExitTimeout: 10_000,
  projects: [tier('unit'), tier('local'), tier('workflow'), tier('integration'), tier('full')],
};
