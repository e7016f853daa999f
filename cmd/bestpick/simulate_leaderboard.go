package main

import (
	"fmt"
	"strconv"
	"strings"

	"bestpick/internal/terminal"
	"bestpick/simulate"
)

// A rankReport is an arm in the leaderboard of the last run.
type rankReport struct {
	Arm       string  `json:"arm"`
	Utility   float64 `json:"utility"` // minus the leader's, with its interval
	Low       float64 `json:"low"`
	High      float64 `json:"high"`
	Share     float64 `json:"share"` // of choices between the arm and the leader, with its interval
	ShareLow  float64 `json:"share_low"`
	ShareHigh float64 `json:"share_high"`
	First     int     `json:"first"` // of the range of ranks
	Last      int     `json:"last"`
	True      float64 `json:"true"` // utility minus the leader's
}

// setLeaderboard adds the leaderboard of the last run, and how many leaderboards hold.
func (r *simulateReport) setLeaderboard(summary simulate.Summary, instance simulate.Instance, runs []simulate.Run) {
	r.Ranked, r.Covered = summary.Ranked, summary.Covered
	if len(runs) == 0 {
		return
	}
	last := runs[len(runs)-1]
	for _, rank := range last.Leaderboard {
		share := rank.Share()
		r.Leaderboard = append(r.Leaderboard, rankReport{
			Arm: instance.Catalogue.ID(rank.Arm), Utility: rank.Utility, Low: rank.Low, High: rank.High,
			Share: share.Estimate, ShareLow: share.Low, ShareHigh: share.High, First: rank.First, Last: rank.Last,
			True: instance.Lead(rank.Arm, last.Leader),
		})
	}
}

// printLeaderboard prints one line for each of the best arms.
func (r *simulateReport) printLeaderboard(text *strings.Builder) {
	const most = 20
	if len(r.Leaderboard) == 0 {
		return
	}
	fmt.Fprintf(text, "ranks      all intervals and ranks hold in %d of %d runs; the last run:\n", r.Covered, r.Ranked)
	for at, rank := range r.Leaderboard {
		if at == most {
			fmt.Fprintf(text, "           and %d more\n", len(r.Leaderboard)-most)
			break
		}
		ranks := strconv.Itoa(rank.First)
		if rank.Last > rank.First {
			ranks = fmt.Sprintf("%d to %d", rank.First, rank.Last)
		}
		fmt.Fprintf(text, "           %-8s %s: utility %s (%s to %s, in truth %s), share against the leader %.0f%% (%.0f%% to %.0f%%)\n",
			ranks, terminal.Visible(rank.Arm), signed(rank.Utility), signed(rank.Low), signed(rank.High), signed(rank.True),
			100*rank.Share, 100*rank.ShareLow, 100*rank.ShareHigh)
	}
}

// signed formats a difference in utility.
func signed(x float64) string {
	text := fmt.Sprintf("%+.2f", x)
	if text == "-0.00" || text == "+0.00" {
		return "0.00"
	}
	return strings.ReplaceAll(text, "-", "−")
}
