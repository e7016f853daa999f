package main

import (
	"bytes"
	"strings"
	"testing"

	"bestpick/cmd/bestpick/command"
)

// TestFlagValues: errors in the values of flags name the flag, what was expected, what was found, and the help of the
// command.
func TestFlagValues(t *testing.T) {
	for arguments, want := range map[string]string{
		"simulate --runs x":         `--runs: expected a whole number from 1 to 1000000, found "x" (run 'bestpick simulate --help' for usage)`,
		"simulate --runs 1.5":       `--runs: expected a whole number from 1 to 1000000, found "1.5" (`,
		"simulate --runs":           `--runs: expected a whole number, found nothing (`,
		"simulate --k 1":            `--k: expected a whole number from 2 to 1000, found "1" (`,
		"simulate --seed -1":        `--seed: expected a whole number of at least 0, found "-1" (`,
		"simulate --norm inf":       `--norm: expected a number, found "inf" (`,
		"simulate --delta nan":      `--delta: expected a number above 0 and below 1, found "nan" (`,
		"simulate --fallback 1":     `--fallback: expected a number of at least 0 and below 1, found "1" (`,
		"simulate --kappa 0":        `--kappa: expected a number above 0, found "0" (`,
		"simulate --out --quiet":    `--out: expected a value, found "--quiet" (`,
		"simulate --max-questions=": `--max-questions: expected a whole number of at least 0, found "" (`,
		"serve --drain -3s":         `--drain: expected a duration such as 30s, found "-3s" (run 'bestpick serve --help' for usage)`,
		"serve --drain=-3s":         `--drain: expected a duration such as 30s, found "-3s" (`,
		"catalogue x --as price":    `--as: expected COLUMN=KIND, found "price" (`,
		"catalogue x --as":          `--as: expected COLUMN=KIND, found nothing (`,
		"fit x --base a=b,c":        `--base: expected COLUMN=LEVEL, found "c" (`,
		"token add a --role":        `--role: expected a value, found nothing (run 'bestpick token add --help' for usage)`,
	} {
		var out, errOut bytes.Buffer
		status := run(strings.Fields(arguments), strings.NewReader(""), &out, &errOut)
		if status != command.ExitUsage || !strings.HasPrefix(errOut.String(), "bestpick: "+want) ||
			strings.Count(errOut.String(), "\n") != 1 {
			t.Errorf("%s: exit status %d, %s", arguments, status, errOut.String())
		}
	}
}

// TestNegativeValues: a negative number can follow its flag after a space.
func TestNegativeValues(t *testing.T) {
	var out, errOut bytes.Buffer
	if status := run(strings.Fields("simulate --shift -0.1 --runs 1 --max-questions 5 --quiet"), strings.NewReader(""), &out,
		&errOut); status != command.ExitOK || !strings.Contains(out.String(), "shift -0.1") {
		t.Errorf("exit status %d, %s%s", status, out.String(), errOut.String())
	}
}
