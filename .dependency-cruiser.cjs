/** The arrows of docs/architecture.md: which room may import from which. A new arrow is a decision, not a detail. */
const allowed = {
  domain: [],
  workflows: ['domain'],
  adapters: ['domain'],
  activities: ['domain', 'adapters'],
  client: ['domain'],
  worker: ['activities', 'workflows', 'adapters', 'domain'],
  cli: ['client', 'worker', 'domain'],
};
const rooms = Object.keys(allowed);

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...rooms.map((room) => ({
      name: `${room}-may-import-only-${['itself', ...allowed[room]].join('-')}`,
      severity: 'error',
      from: { path: `^${room}/` },
      to: {
        path: `^(${[...rooms, 'tools', 'test'].filter((other) => other !== room && !allowed[room].includes(other)).join('|')})/`,
      },
    })),
    {
      name: 'domain-is-pure',
      comment: 'no I/O, no Temporal and no Kubernetes client in domain/',
      severity: 'error',
      from: { path: '^domain/' },
      to: {
        path: '^(node:|fs|net|http)|node_modules/(@temporalio|@kubernetes|@aws-sdk|undici|pino)',
        pathNot: '^node:crypto$|^crypto$',
      },
    },
    {
      name: 'workflows-are-deterministic',
      comment:
        'what workflow code reaches, directly or not, must be free of Node, schemas and regular expression engines',
      severity: 'error',
      from: { path: '^workflows/' },
      to: { path: '\\.schema\\.ts$|node_modules/(zod|re2js|lossless-json|yaml)|^(node:)?crypto$', reachable: true },
    },
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: false,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|coverage)/' },
  },
};
