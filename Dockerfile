# syntax=docker/dockerfile:1

# The version in .dvmrc; a test compares them.
ARG DENO_VERSION=2.9.6

# Runs on the builder's platform and cross-compiles, which is much faster than emulating the target.
FROM --platform=$BUILDPLATFORM denoland/deno:${DENO_VERSION} AS build
ARG TARGETARCH
# true: the executable exports traces and metrics through OpenTelemetry (deploy/compose.telemetry.yaml).
ARG OTEL_DENO=false
WORKDIR /build
COPY . .
RUN set -eu; \
    case "$TARGETARCH" in \
      amd64) target=x86_64-unknown-linux-gnu ;; \
      arm64) target=aarch64-unknown-linux-gnu ;; \
      *) echo "TARGETARCH must be amd64 or arm64, got $TARGETARCH" >&2; exit 1 ;; \
    esac; \
    deno task model; \
    OTEL_DENO="$OTEL_DENO" deno task compile --target "$target" --writable /data,/tmp; \
    mv "dist/kb-mcp-$target" dist/kb-mcp; \
    mkdir empty

# glibc and CA certificates only: no shell, no package manager, user 65532.
FROM gcr.io/distroless/cc-debian12:nonroot
LABEL org.opencontainers.image.title="kb-mcp" \
      org.opencontainers.image.description="A knowledge base for AI agents: an MCP server and its engine in one executable" \
      org.opencontainers.image.licenses="MIT AND Apache-2.0"
COPY LICENSE NOTICE licenses/Apache-2.0.txt /usr/share/doc/kb-mcp/
COPY --from=build --chown=root:root --chmod=0755 /build/dist/kb-mcp /usr/local/bin/kb-mcp
# A new volume inherits the owner of the directory it is mounted on.
COPY --from=build --chown=65532:65532 --chmod=0700 /build/empty /data
ENV KB_MCP_HOST=0.0.0.0 \
    KB_ENGINE_HOST=0.0.0.0 \
    KB_DATA_DIR=/data
USER 65532:65532
VOLUME /data
EXPOSE 8808
HEALTHCHECK --interval=30s --timeout=5s --start-period=15s --retries=3 \
  CMD ["/usr/local/bin/kb-mcp", "healthcheck"]
ENTRYPOINT ["/usr/local/bin/kb-mcp"]
CMD ["serve"]
