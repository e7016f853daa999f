// Package paper reproduces the experiments of "Pure Exploration with Structured Preference
// Feedback": Figures 1a, 1b, 2 and 3, and Table 1.
//
// An [Exhibit] is made of [Cell] values, each a strategy at one setting. The caller runs the cells
// with [Do] and stores the [Record] of every run. The exhibit returns its numbers, its picture and a
// comparison with the paper's statements. A [Report] shows exhibits on one page.
package paper
