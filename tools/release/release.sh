#!/usr/bin/env bash
# Usage: release.sh FOLDER [OS/ARCH …]
# Builds the program for each platform and writes to FOLDER: one archive per platform, with the static binary, LICENSE and
# the licences and notices of the modules in it (sources, too, where the licence asks for them); a Python wheel that contains
# the binary, where python3 is present; its list of modules (CycloneDX); and SHA256SUMS. The same commit and Go version give
# the same bytes, whatever `go env -w` has set.
set -euo pipefail
folder=$(realpath -m "${1:?usage: release.sh FOLDER [OS/ARCH …]}")
shift
[ $# -gt 0 ] || set -- linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
cd "$(dirname "$0")/../.."
export GOENV=off GOFLAGS= CGO_ENABLED=0 GOAMD64=v1 GOARM64=v8.0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -modfile=tools/release/go.mod -o "$work/" github.com/google/go-licenses/v2 github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod
changed=$(git log -1 --format=%ct 2> /dev/null || echo 0) # the image is built without a repository
test -z "$(git status --porcelain 2> /dev/null)" || echo "release: the working tree has changes that are not in the commit" >&2
mkdir -p "$folder"

for platform; do
	export GOOS=${platform%/*} GOARCH=${platform#*/}
	name=bestpick-$GOOS-$GOARCH
	binary=bestpick
	[ "$GOOS" != windows ] || binary=bestpick.exe
	contents=$work/$name
	mkdir "$contents"
	go build -trimpath -ldflags='-s -w -buildid=' -o "$contents/$binary" ./cmd/bestpick
	"$work/cyclonedx-gomod" bin -json -std -noserial -notimestamp -output "$folder/$name.cdx.json" "$contents/$binary"
	# go-licenses warns of files other than Go.
	"$work/go-licenses" save ./cmd/bestpick --save_path "$contents/third-party" --ignore "$(go list -m)" 2> "$work/log" ||
		{ cat "$work/log" >&2; exit 1; }
	mkdir -p "$contents/third-party/go"
	cp "$(go env GOROOT)/LICENSE" "$contents/third-party/go"
	cp LICENSE "$contents"
	chmod -R u=rwX,go=rX "$contents"
	tar --create --sort=name --mtime="@$changed" --owner=0 --group=0 --numeric-owner --directory "$work" "$name" |
		gzip --no-name > "$folder/$name.tar.gz"
	case $platform in
	linux/amd64) tag=manylinux2014_x86_64.musllinux_1_1_x86_64 ;;
	linux/arm64) tag=manylinux2014_aarch64.musllinux_1_1_aarch64 ;;
	darwin/amd64) tag=macosx_12_0_x86_64 ;;
	darwin/arm64) tag=macosx_12_0_arm64 ;;
	windows/amd64) tag=win_amd64 ;;
	windows/arm64) tag=win_arm64 ;;
	*) tag= ;;
	esac
	if [ -n "$tag" ] && command -v python3 > /dev/null; then
		python3 clients/python/build_wheel.py "$folder" "$contents/$binary" "py3-none-$tag"
	fi
	rm -rf "$contents"
done
cd "$folder"
sha256sum bestpick-* > SHA256SUMS
rm -f SHA256SUMS.sig
if [ -n "${SIGNING_KEY:-}" ]; then # an SSH key; SECURITY.md says how to check the signature
	ssh-keygen -q -Y sign -f "$SIGNING_KEY" -n bestpick-release SHA256SUMS
else
	echo "release: SHA256SUMS is not signed: SIGNING_KEY names no SSH key" >&2
fi
