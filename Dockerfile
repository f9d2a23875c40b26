# The image of throngd: built in one stage, run from another that has the shared libraries and nothing to compile with.
#
#   docker build -t throng .
#   docker run --read-only --cap-drop ALL --security-opt no-new-privileges -p 50051:50051 -p 9464:9464 throng
#
# deploy/image-test.sh builds and runs it for real, without a container engine.
ARG BASE=docker.io/library/debian:bookworm-slim

# The build's packages, in a layer that changes only with their list.
FROM ${BASE} AS deps
COPY deploy/packages/build.txt /tmp/packages.txt
RUN apt-get update -qq \
    && sed 's/#.*//' /tmp/packages.txt | DEBIAN_FRONTEND=noninteractive xargs \
       apt-get install -y -qq --no-install-recommends \
    && rm -rf /var/lib/apt/lists/* /tmp/packages.txt

FROM deps AS build
# Fills the revision that throngd reports; the context has no repository to ask.
ARG THRONG_COMMIT=unknown
# As many compilers as cores, unless memory is short (a gRPC source takes up to 1 GiB).
ARG JOBS=
WORKDIR /src
COPY . .
RUN cmake --preset release -DTHRONG_BUILD_TESTS=OFF -DTHRONG_COMMIT=${THRONG_COMMIT} \
    && cmake --build --preset release -j "${JOBS:-$(nproc)}" --target throngd throng \
    && strip build/release/bin/throngd build/release/bin/throng

FROM ${BASE} AS runtime
COPY deploy/packages/runtime.txt /tmp/packages.txt
RUN apt-get update -qq \
    && sed 's/#.*//' /tmp/packages.txt | DEBIAN_FRONTEND=noninteractive xargs \
       apt-get install -y -qq --no-install-recommends \
    && rm -rf /var/lib/apt/lists/* /var/log/* /var/cache/* /tmp/packages.txt
COPY --from=build /src/build/release/bin/throngd /src/build/release/bin/throng /usr/local/bin/
# A library that is missing from the list above shall break the build, not the start.
RUN ! ldd /usr/local/bin/throngd /usr/local/bin/throng | grep "not found"

ARG THRONG_COMMIT=unknown
LABEL org.opencontainers.image.title="throng" \
      org.opencontainers.image.description="A crowd-movement server: worlds of agents, stepped by ORCA, over gRPC" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.revision="${THRONG_COMMIT}"

# Any user will do: throngd writes no file. A number, so that a cluster can see that it is not root.
USER 65532:65532
EXPOSE 50051 9464
STOPSIGNAL SIGTERM
# The command line's own health call; THRONG_SERVER in the environment names another address than 127.0.0.1:50051.
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --retries=3 CMD ["throng", "health"]
ENTRYPOINT ["throngd"]
# A container's loopback interface cannot be reached from outside, so the image listens on all of its interfaces. That
# is not encrypted and asks for no token, which throngd refuses unless told that it is meant: publish the ports only to
# where every caller may do everything. Arguments to `docker run` take the place of these; THRONG_* variables add to them.
CMD ["--address=0.0.0.0", "--insecure"]
