// Package shareddata finds the real choice data that tests check the estimator
// against. Their licences differ, so they are not part of this repository; they
// lie in ../shared/data beside it.
package shareddata

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Path returns the path of one of the data files. Where the folder is absent the
// test is skipped, except under CI, where it fails.
func Path(t testing.TB, name string) string {
	t.Helper()
	_, here, _, ok := runtime.Caller(0)
	if !ok {
		t.Fatal("this file does not know where it is")
	}
	root := filepath.Dir(filepath.Dir(filepath.Dir(here)))
	path := filepath.Join(root, "..", "shared", "data", name)
	if _, err := os.Stat(path); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s is needed under CI: %v", name, err)
		}
		t.Skipf("%s is not in ../shared/data, beside the repository: nothing to check against", name)
	}
	return path
}
