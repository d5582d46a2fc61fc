# The worker image. glibc is required: Temporal's native core has no build for musl, so no Alpine.

FROM node:22-bookworm-slim AS build
WORKDIR /app

# No install script of a dependency is needed, so none is run.
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts

COPY tsconfig.base.json tsconfig.build.json ./
COPY domain domain
COPY adapters adapters
COPY activities activities
COPY workflows workflows
COPY worker worker
COPY client client
COPY cli cli
COPY tools/build.ts tools/build.ts
RUN npm run build

# What stays: production dependencies, and of Temporal's native core the one binary for this platform.
RUN npm prune --omit=dev --ignore-scripts \
 && core=node_modules/@temporalio/core-bridge \
 && platform="$(node -p "({ x64: 'x86_64', arm64: 'aarch64' })[process.arch]")-unknown-linux-gnu" \
 && test -d "$core/releases/$platform" \
 && find "$core/releases" -mindepth 1 -maxdepth 1 ! -name "$platform" -exec rm -r {} + \
 && rm -rf "$core/sdk-core" "$core/Cargo.toml" "$core/Cargo.lock" "$core/src" \
 && node -e "require('@temporalio/core-bridge')"

FROM node:22-bookworm-slim
LABEL org.opencontainers.image.title="durable-restore" \
      org.opencontainers.image.description="Restores Velero backups as Temporal workflows" \
      org.opencontainers.image.licenses="Apache-2.0"

# The slim image has no certificate authorities; the native core needs them for a Temporal server with TLS.
# The cache is writable for every user because docker-compose.yml runs the worker as the owner of the mounted files.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates \
 && rm -rf /var/lib/apt/lists/* \
 && install -d -m 1777 /var/cache/durable-restore

ENV NODE_ENV=production \
    HOME=/var/cache/durable-restore \
    XDG_CACHE_HOME=/var/cache/durable-restore

WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json LICENSE ./

# The user `node` of the base image, as a number, so that Kubernetes can see that it is not root.
USER 1000:1000
EXPOSE 9090

HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=6 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:9090/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]

# Node itself is the main process, not npm: signals reach the worker, which lets running activities end.
ENTRYPOINT ["node", "--max-old-space-size=1536", "dist/cli/main.js"]
CMD ["worker", "--health-address", "0.0.0.0:9090"]
