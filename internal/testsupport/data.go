// Package testsupport helps tests: waits have a limit, and data files are skipped if they are missing.
package testsupport

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// DataPath returns the path of a file with the real choice data that tests compare with published estimates. The files
// are not part of this repository, because their licences differ: see docs/data.md. DataPath skips the test if the file
// is missing. The folder defaults to ../shared/data beside the repository; the environment variable BESTPICK_DATA overrides it.
func DataPath(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(folder(t), name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("%s is missing; see docs/data.md", path)
	}
	return path
}

func folder(t testing.TB) string {
	t.Helper()
	if folder := os.Getenv("BESTPICK_DATA"); folder != "" {
		return folder
	}
	_, here, _, ok := runtime.Caller(0)
	if !ok {
		t.Fatal("the path of this source file is unknown")
	}
	return filepath.Join(filepath.Dir(here), "..", "..", "..", "shared", "data")
}
