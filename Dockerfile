# syntax=docker/dockerfile:1

# svc in a container, as an unprivileged user. Two images: `sandbox` serves the sandbox, `svc` runs any command, such as a worker.
#   docker build --target svc --tag svc .
ARG NODE_IMAGE=node:24.21.0-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /source
COPY package.json package-lock.json ./
# Scripts are not needed: Node is in the image, and the PostgreSQL of the tests is not used.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
# The repository is not in the context, so `svc --version --json` is told the commit and its date.
ARG SOURCE_COMMIT
ARG SOURCE_DATE_EPOCH
RUN SOURCE_COMMIT="${SOURCE_COMMIT}" SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH}" node scripts/build.ts \
  && mkdir /packed \
  && npm pack --ignore-scripts --pack-destination /packed

FROM ${NODE_IMAGE} AS svc
COPY --from=build /packed/svc-*.tgz /tmp/svc.tgz
RUN npm install --global --omit=optional --ignore-scripts --no-audit --no-fund /tmp/svc.tgz \
  && rm -r /tmp/svc.tgz /root/.npm \
  && install --directory --owner=node --group=node --mode=0700 /data
ENV SVC_CONFIG_DIR=/data/config \
    SVC_CACHE_DIR=/data/cache
USER node
WORKDIR /data
VOLUME /data
# A worker answers there, if it was started with --listen 127.0.0.1:9464 or without --listen.
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:9464/healthz').then(({ok}) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["svc"]
CMD ["--help"]

FROM svc AS sandbox
# It listens on loopback: a container that uses it shares its network, as in compose.yaml.
ENV SVC_SANDBOX_FILE=/data/sandbox.sqlite
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:4010/openapi.json').then(({ok}) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["sandbox", "start", "--port", "4010", "--json"]
