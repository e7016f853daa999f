package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"bestpick/cmd/bestpick/command"
	"bestpick/internal/testsupport"
)

// TestWriteFileModes: a new file has the default permissions; a replaced file keeps its permissions.
func TestWriteFileModes(t *testing.T) {
	folder := t.TempDir()
	mode := func(name string) os.FileMode {
		info := testsupport.Value(os.Stat(filepath.Join(folder, name))).OrFail(t)
		return info.Mode()
	}
	write := func(w io.Writer) error {
		_, err := io.WriteString(w, "arms")
		return err
	}
	testsupport.NoError(t, os.WriteFile(filepath.Join(folder, "usual"), nil, 0o666))
	if err := command.WriteFile(filepath.Join(folder, "new"), write); err != nil || mode("new") != mode("usual") {
		t.Errorf("%v, the mode is %v, usually %v", err, mode("new"), mode("usual"))
	}
	testsupport.NoError(t, os.Chmod(filepath.Join(folder, "new"), 0o640))
	before := mode("new")
	if err := command.WriteFile(filepath.Join(folder, "new"), write); err != nil || mode("new") != before {
		t.Errorf("%v, the mode is %v and was %v", err, mode("new"), before)
	}
	failure := errors.New("no")
	fail := func(io.Writer) error { return failure }
	if err := command.WriteFile(filepath.Join(folder, "failed"), fail); !errors.Is(err, failure) {
		t.Error(err)
	}
	if files, err := os.ReadDir(folder); err != nil || len(files) != 2 {
		t.Errorf("%v, files %v", err, files)
	}
}
