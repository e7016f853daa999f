package main

import (
	"fmt"

	"bestpick/study"
)

// verifyCommand recomputes a study's verdict from its exported log.
type verifyCommand struct {
	File  string `arg:"" help:"Exported study, JSON Lines; - reads standard input."`
	JSON  bool   `name:"json" help:"Print one JSON document."`
	Quiet bool   `help:"Show no progress."`
}

// verifyReport is what was recomputed.
type verifyReport struct {
	Study    string        `json:"study"`
	Agrees   bool          `json:"agrees"`
	Plans    int           `json:"plans"`
	Outcomes int           `json:"outcomes"`
	Open     int           `json:"open"`
	Verdict  study.Verdict `json:"verdict"`
}

// Run recomputes and says whether it agrees.
func (c *verifyCommand) Run(s streams) error {
	name := c.File
	if c.File == "-" {
		name = standardInput
	}
	file, err := openInput(c.File, name, s, c.Quiet)
	if err != nil {
		return inputError{err}
	}
	defer file.Close()
	report, err := study.Verify(file)
	if err != nil {
		return inputError{fmt.Errorf("%s: %w", name, err)}
	}
	if c.JSON {
		return printJSON(s.out, verifyReport{report.Study.ID, true, report.Plans, report.Outcomes, report.Open, report.Verdict})
	}
	_, err = fmt.Fprintf(s.out, "%s: the log leads to the verdict that it says\n\nstudy     %s\nverdict   %s, leader %d, %d contenders besides\ncounted   %d answers in %d plans\noutcomes  %d, of which %d are not counted yet\ndigest    %s\n",
		name, report.Study.Name, report.Verdict.Status, report.Verdict.Leader, len(report.Verdict.Contenders)+report.Verdict.Others,
		report.Verdict.Answered, report.Plans, report.Outcomes, report.Open, report.Verdict.Digest)
	return err
}
