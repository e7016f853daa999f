// Package paper redoes the experiments of "Pure Exploration with Structured Preference
// Feedback": Figures 1a, 1b, 2 and 3, and Table 1.
//
// An [Exhibit] is made of [Cell] values, each a strategy at one setting. Whoever
// reproduces it runs the cells, keeps the [Record] of every run wherever it likes, and
// then asks the exhibit for its numbers, its picture and how they compare with what
// the paper says. A [Report] puts exhibits on one page.
package paper
