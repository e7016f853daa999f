//go:build long

package boundaries

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestLongRelease: two releases of the same source are the same bytes, also where `go env -w` sets other flags. The archive
// has the program, its licence and those of its modules; the list has the modules of the program. The checksums are signed.
func TestLongRelease(t *testing.T) {
	name := "bestpick-" + runtime.GOOS + "-" + runtime.GOARCH
	settings := filepath.Join(t.TempDir(), "env")
	if err := os.WriteFile(settings, []byte("GOFLAGS=-buildvcs=false -tags=other\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	folders, key := []string{t.TempDir(), t.TempDir()}, filepath.Join(t.TempDir(), "key")
	if out, err := exec.CommandContext(t.Context(), "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key).CombinedOutput(); err != nil { //nolint:gosec // a file of the test
		t.Fatalf("%v: %s", err, out)
	}
	for i, folder := range folders {
		command := exec.CommandContext(t.Context(), "../../tools/release/release.sh", folder, runtime.GOOS+"/"+runtime.GOARCH) //nolint:gosec // a folder of the test
		command.Env = append(os.Environ(), "SIGNING_KEY="+key)
		if i == 1 {
			command.Env = append(command.Env, "GOENV="+settings)
		}
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", command, err, out)
		}
	}
	sums := read(t, filepath.Join(folders[0], "SHA256SUMS"))
	if !bytes.Equal(sums, read(t, filepath.Join(folders[1], "SHA256SUMS"))) {
		t.Error("two releases of the same source differ")
	}
	check := exec.CommandContext(t.Context(), "sha256sum", "--check", "--strict", "SHA256SUMS")
	check.Dir = folders[0]
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	signers := filepath.Join(t.TempDir(), "signers")
	if err := os.WriteFile(signers, append([]byte("release "), read(t, key+".pub")...), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, text := range [][]byte{sums, append([]byte("0"), sums...)} { // as SECURITY.md says
		verify := exec.CommandContext(t.Context(), "ssh-keygen", "-Y", "verify", "-f", signers, "-I", "release", "-n", "bestpick-release", //nolint:gosec // like above
			"-s", filepath.Join(folders[0], "SHA256SUMS.sig"))
		verify.Stdin = bytes.NewReader(text)
		if out, err := verify.CombinedOutput(); (err == nil) != bytes.Equal(text, sums) {
			t.Errorf("the signature of %.20q: %v, %s", text, err, out)
		}
	}
	archive := filepath.Join(folders[0], name+".tar.gz")
	contents, err := exec.CommandContext(t.Context(), "tar", "-tzf", archive).Output() //nolint:gosec // a file of the test
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{
		"bestpick", "LICENSE", "third-party/go/LICENSE", "third-party/gonum.org/v1/gonum/LICENSE",
		"third-party/github.com/riverqueue/river/client.go",
		"third-party/github.com/prometheus/client_golang/prometheus/NOTICE",
	} {
		if !strings.Contains(string(contents), name+"/"+file+"\n") {
			t.Errorf("the archive lacks %s", file)
		}
	}
	var list struct {
		Components []struct {
			Name    string `json:"name"`
			Version string `json:"version"`
		} `json:"components"`
	}
	if err := json.Unmarshal(read(t, filepath.Join(folders[0], name+".cdx.json")), &list); err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, one := range list.Components {
		if one.Version == "" || names[one.Name] {
			t.Errorf("module %q has no version or is repeated", one.Name)
		}
		names[one.Name] = true
	}
	for _, name := range []string{"std", "gonum.org/v1/gonum", "github.com/alecthomas/kong"} {
		if !names[name] {
			t.Errorf("the list lacks %s", name)
		}
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
