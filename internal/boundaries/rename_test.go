package boundaries

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestRename: in a copy of the repository tools/rename.sh renames the module, so that its packages build under the new
// path and no Go file imports the old one.
func TestRename(t *testing.T) {
	const renamed = "example.org/me/bestpick"
	copied := t.TempDir()
	run := func(name string, arguments ...string) string {
		t.Helper()
		command := exec.CommandContext(t.Context(), name, arguments...) //nolint:gosec // the arguments are ours
		command.Dir = copied
		command.Env = append(os.Environ(), "GOPROXY=off", "GOWORK=off")
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", command, err, out)
		}
		return string(out)
	}
	// The files in the working tree; folders without Go files, such as published data, are not needed.
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	run("bash", "-c", `cd "$1" && git ls-files -z --cached --others --exclude-standard |
		while IFS= read -r -d '' name; do test ! -f "$name" || printf '%s\0' "$name"; done |
		tar --null --files-from=- --create | tar --extract --directory "$2"`, "copy", root, copied)
	run("tools/rename.sh", renamed)
	if path := strings.TrimSpace(run("go", "list", "-m")); path != renamed {
		t.Errorf("the module is called %s", path)
	}
	run("go", "build", renamed+"/choice", renamed+"/strategy/...", renamed+"/wire")
	for path := range strings.FieldsSeq(run("go", "list", "-test", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", "./...")) {
		if path == modulePath || strings.HasPrefix(path, modulePath+"/") {
			t.Errorf("a package still imports %s", path)
		}
	}
	text, err := os.ReadFile(filepath.Join(copied, ".golangci.yml"))
	if err != nil || strings.Count(string(text), renamed) != 2 {
		t.Errorf("the linters do not know the new path: %v", err)
	}
}
