package main

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bestpick/cmd/bestpick/command"
	"bestpick/internal/store/sqlite"
	"bestpick/internal/study"
	"bestpick/internal/study/replay"
	"bestpick/internal/study/wiring"
	"bestpick/internal/testsupport"
)

// exportStudy writes the log of a small study to a file, and its public key to another.
func exportStudy(t *testing.T) (log, key string) {
	t.Helper()
	folder := t.TempDir()
	database := filepath.Join(folder, "studies.db")
	log, key = filepath.Join(folder, "export.jsonl"), filepath.Join(folder, "key.txt")
	testsupport.NoError(t, keepLamps(t.Context(), database, study.Open))
	store := testsupport.Value(sqlite.Open(database)).OrFail(t)
	defer func() { _ = store.Close() }()
	var text bytes.Buffer
	testsupport.NoError(t, replay.Export(t.Context(), store, "lamps", &text))
	service := testsupport.Value(wiring.New(t.Context(), store, wiring.Options{})).OrFail(t)
	for path, text := range map[string]string{log: text.String(), key: replay.PublicKeyOf(service.Secret).String() + "\n"} {
		testsupport.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return log, key
}

// read returns the text of a file.
func contentsOf(t *testing.T, path string) string {
	t.Helper()
	text := testsupport.Value(os.ReadFile(path)).OrFail(t)
	return string(text)
}

// TestVerify: an exported log verifies, with and without the public key; an altered log, or one signed with another
// key, does not.
func TestVerify(t *testing.T) {
	path, keyFile := exportStudy(t)
	log, key := contentsOf(t, path), strings.TrimSpace(contentsOf(t, keyFile))
	other := strings.Repeat("ab", 32)
	before, _, _ := strings.Cut(log, `{"closing"`)
	database, changed := filepath.Join(filepath.Dir(path), "studies.db"), filepath.Join(t.TempDir(), "changed.db")
	testsupport.NoError(t, os.WriteFile(changed, []byte(contentsOf(t, database)), 0o600))
	db := testsupport.Value(sql.Open("sqlite", changed)).OrFail(t)
	testsupport.Value(db.ExecContext(t.Context(), "UPDATE outcomes SET respondent = respondent || 'x' WHERE number = 1")).OrFail(t)
	testsupport.NoError(t, db.Close())
	for name, c := range map[string]struct {
		arguments []string
		input     string
		status    int
		out, err  string
	}{
		"without a key":  {[]string{path}, "", 0, "counted    4 answers in 5 plans", ""},
		"leader":         {[]string{path}, "", 0, "leader     none yet", ""},
		"a note":         {[]string{path}, "", 0, "Note: No public key was given", ""},
		"signer":         {[]string{path}, "", 0, "signature  valid, by " + key, ""},
		"key":            {[]string{"--public-key", key, path}, "", 0, "signature  valid, by the given public key", ""},
		"file of a key":  {[]string{"--public-key", keyFile, path}, "", 0, "signature  valid, by the given public key", ""},
		"standard input": {[]string{"--public-key", key, "-"}, log, 0, "standard input: the log leads to its verdict", ""},
		"empty key":      {[]string{"--public-key", "", path}, "", command.ExitUsage, "", "--public-key: a public key must have 64"},
		"study":          {[]string{"--study", "lamps", path}, "", 0, "counted    4 answers", ""},
		"another study": {
			[]string{"--study", "chairs", path},
			"", command.ExitUsage, "",
			"this is the log of study lamps, not of chairs",
		},
		"database": {[]string{"--database", database, path}, "", 0, "counted    4 answers", ""},
		"changed database": {
			[]string{"--database", changed, path},
			"", command.ExitUsage, "",
			"changed.db differs from the log: it was changed, or has other answers",
		},
		"another version": {
			[]string{"-"},
			strings.Replace(log, `"bestpick_study":1`, `"bestpick_study":9`, 1), command.ExitUsage,
			"", "field bestpick_study: found 9, expected 1",
		},
		"another key": {
			[]string{"--public-key", other, path},
			"", command.ExitUsage, "",
			"field closing.public_key: found " + key + ", expected " + other,
		},
		"no key": {
			[]string{"--public-key", "nowhere", path},
			"", command.ExitUsage, "",
			`--public-key: a public key must have 64 hexadecimal digits, and there is no file "nowhere"`,
		},
		"no key in a file": {
			[]string{"--public-key", path, path},
			"", command.ExitUsage, "",
			"a public key must have 64 hexadecimal digits",
		},
		"a pick": {
			[]string{"-"},
			strings.Replace(log, `"picks":[1]`, `"picks":[0]`, 1), command.ExitUsage, "",
			"bestpick: standard input: line ",
		},
		"a leader": {
			[]string{"-"},
			strings.Replace(log, `"status":"asking","leader":`, `"status":"asking","leader":1`, 1),
			command.ExitUsage, "", ", plan 5: field verdict.leader: found 1",
		},
		"cut": {[]string{"-"}, before, command.ExitUsage, "", "the closing line is missing"},
	} {
		var out, errOut bytes.Buffer
		status := run(append([]string{"verify"}, c.arguments...), strings.NewReader(c.input), &out, &errOut)
		if status != c.status || !strings.Contains(out.String(), c.out) || !strings.Contains(errOut.String(), c.err) ||
			status != 0 && out.Len() > 0 {
			t.Errorf("%s: exit status %d, %s%s", name, status, out.String(), errOut.String())
		}
	}
}

// TestVerifyJSON: the report as JSON has the verdict, the signature and what is not proven.
func TestVerifyJSON(t *testing.T) {
	path, keyFile := exportStudy(t)
	for _, key := range []string{"", strings.TrimSpace(contentsOf(t, keyFile))} {
		var out, errOut bytes.Buffer
		arguments := []string{"verify", "--json", path}
		if key != "" {
			arguments = append(arguments, "--public-key", key)
		}
		if status := run(arguments, strings.NewReader(""), &out, &errOut); status != 0 {
			t.Fatalf("exit status %d, %s", status, errOut.String())
		}
		var report verifyReport
		testsupport.NoError(t, json.Unmarshal(out.Bytes(), &report))
		if !report.Agrees || report.Study != "lamps" || report.Leader != nil ||
			!strings.HasPrefix(report.Sentence, "Too early to name a leader.") || report.Plans != 5 ||
			report.Version != 1 ||
			report.Trusted != (key != "") || len(report.PublicKey) != 64 || report.Verdict.Digest == "" ||
			(len(report.Notes) == 1) != (key == "") && report.Open == 0 {
			t.Errorf("%+v", report)
		}
	}
}
