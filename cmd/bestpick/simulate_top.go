package main

import (
	"fmt"
	"strconv"
	"strings"

	"bestpick/choice"
	"bestpick/internal/terminal"
	"bestpick/simulate"
	"bestpick/strategy/racing"
)

// badTop is no number of best arms.
const badTop = racing.TopAll - 1

// top returns the setting of --top, badTop if it is neither all nor a number of arms.
func (c *simulateCommand) top() int {
	if c.Top == all {
		return racing.TopAll
	}
	n, err := strconv.Atoi(c.Top)
	if err != nil || n < 1 {
		return badTop
	}
	return n
}

// topOf returns the ids of the best arms of the last run, nil for one best arm.
func topOf(c *choice.Catalogue, runs []simulate.Run) []string {
	var ids []string
	if last := len(runs) - 1; last >= 0 {
		for _, arm := range runs[last].Top {
			ids = append(ids, c.ID(arm))
		}
	}
	return ids
}

// printTop prints the best arms of the last run in one line.
func printTop(text *strings.Builder, ids []string) {
	if len(ids) == 0 {
		return
	}
	visible := make([]string, len(ids))
	for i, id := range ids {
		visible[i] = terminal.Visible(id)
	}
	fmt.Fprintf(text, "top        %s in the last run\n", strings.Join(visible, ", "))
}
