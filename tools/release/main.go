// Command release builds the program for every supported platform in a folder: static binaries, which
// are the same bytes on every machine with the same source and Go version; SHA256SUMS; and
// bestpick.spdx.json, the list of the modules in the binaries (SPDX 2.3).
package main

import (
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
)

// all are the operating systems and processors of a release.
const all = "linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64"

func main() {
	log.SetFlags(0)
	if len(os.Args) < 2 {
		log.Fatal("usage: release FOLDER [OS/ARCH …]")
	}
	platforms := strings.Fields(all)
	if len(os.Args) > 2 {
		platforms = os.Args[2:]
	}
	if err := release(context.Background(), os.Args[1], platforms); err != nil {
		log.Fatal(err)
	}
}

// release builds the program for the platforms in a folder, with checksums and the list of modules.
func release(ctx context.Context, folder string, platforms []string) error {
	if err := os.MkdirAll(folder, 0o750); err != nil { //nolint:gosec // the caller names the folder
		return err
	}
	var sums strings.Builder
	var info *debug.BuildInfo
	for _, platform := range platforms {
		path, err := build(ctx, folder, platform)
		if err != nil {
			return err
		}
		if info, err = buildinfo.ReadFile(path); err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%s  %s\n", digest(text), filepath.Base(path))
	}
	modules, err := json.MarshalIndent(describe(info), "", "  ")
	if err != nil {
		return err
	}
	modules = append(modules, '\n')
	const name = "bestpick.spdx.json"
	fmt.Fprintf(&sums, "%s  %s\n", digest(modules), name)
	return errors.Join(
		os.WriteFile(filepath.Join(folder, name), modules, 0o600),                       //nolint:gosec // the caller names the folder
		os.WriteFile(filepath.Join(folder, "SHA256SUMS"), []byte(sums.String()), 0o600)) //nolint:gosec // the caller names the folder
}

// build builds the program for a platform such as linux/amd64, and returns its path.
func build(ctx context.Context, folder, platform string) (string, error) {
	system, processor, found := strings.Cut(platform, "/")
	if !found {
		return "", fmt.Errorf("%q is not a platform such as linux/amd64", platform)
	}
	path := filepath.Join(folder, "bestpick-"+system+"-"+processor)
	if system == "windows" {
		path += ".exe"
	}
	command := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w -buildid=", "-o", path, "bestpick/cmd/bestpick") //nolint:gosec // the path is ours
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+processor, "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=")
	if out, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", platform, err, out)
	}
	return path, nil
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
