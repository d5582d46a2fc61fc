/**
 * One jest project per tier, so that the fast tests can be run alone:
 *   unit         pure code and adapters against real local parts (files, sockets); no servers to install
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
  projects: [tier('unit'), tier('workflow'), tier('integration'), tier('full')],
};
