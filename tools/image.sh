#!/usr/bin/env bash
# Builds the container image with docker, podman or buildah (BUILDER selects one), and waits until a server in it is ready.
set -euo pipefail
cd "$(dirname "$0")/.."

works() { case $1 in buildah) buildah images ;; *) "$1" info ;; esac > /dev/null 2>&1; }
for candidate in ${BUILDER:-docker podman buildah}; do
	if works "$candidate"; then builder=$candidate && break; fi
done
: "${builder:?docker, podman or buildah is needed to build an image}"

name=${IMAGE:-bestpick}
port=${PORT:-8080}
if [ "$builder" = buildah ]; then
	buildah bud --isolation chroot --ignorefile deploy/Dockerfile.dockerignore -f deploy/Dockerfile -t "$name" .
	container=$(buildah from "$name")
	set -m # the server and buildah are one process group, which a signal reaches by its id
	buildah run --isolation chroot --env BESTPICK_LISTEN=":$port" "$container" /usr/local/bin/bestpick serve &
	server=$!
	set +m
	remove() { kill -INT -- "-$server" || true; wait "$server" || true; buildah rm "$container" > /dev/null; }
else
	"$builder" build -f deploy/Dockerfile -t "$name" .
	container=$("$builder" run -d --rm -p "127.0.0.1:$port:8080" "$name")
	remove() { "$builder" stop "$container" > /dev/null; }
fi
trap remove EXIT
curl --silent --fail --retry 30 --retry-delay 1 --retry-connrefused "http://127.0.0.1:$port/readyz"
