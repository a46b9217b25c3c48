# docker build -t orbweaver .
# docker run --rm -v "$PWD/crawls:/data/crawls" orbweaver crawl https://example.org/ --contact you@example.org --max-pages 100
FROM node:22-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json LICENSE README.md ./
COPY tools tools
COPY models models
COPY src src
COPY tests tests
RUN npm run build && npm pack --ignore-scripts && mv orbweaver-*.tgz /orbweaver.tgz

FROM node:22-bookworm-slim
ENV NODE_ENV=production
# A crawl on an engine, and the URLFrontier API, need packages that a plain install leaves out.
ARG EXTRAS="ioredis@6 @grpc/grpc-js@1 @grpc/proto-loader@0.8"
COPY --from=build /orbweaver.tgz /tmp/orbweaver.tgz
RUN npm install --global --no-audit --no-fund /tmp/orbweaver.tgz $EXTRAS \
  && rm -rf /tmp/orbweaver.tgz /root/.npm \
  && mkdir -p /data/crawls && chown -R node:node /data
# The code caches are written beside the program by its first crawl: as root, now, because the user below may not.
RUN cd /tmp && orbweaver demo --quiet --delay 0 --out /tmp/demo && rm -rf /tmp/demo
USER node
WORKDIR /data
# With --dashboard 8080 the crawl answers for itself; without, the program has at least to start.
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s \
  CMD node -e "fetch('http://127.0.0.1:8080/healthz').then((r)=>process.exit(r.ok?0:1),()=>process.exit(require('node:child_process').spawnSync('orbweaver',['--version']).status??1))"
ENTRYPOINT ["orbweaver"]
CMD ["--help"]
