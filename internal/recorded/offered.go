package recorded

import (
	"slices"

	"bestpick/choice"
)

// Further answers than a pick or a ranking, in long form. Each choice of a task becomes a task of
// the records: [choice.Alternatives] explains the rows.

// The names of the constants.
const (
	noneName = "none"
	tieName  = "tie"
)

// The problems of tasks with further answers.
const (
	someTied  choice.TaskProblem = "has some chosen alternatives, but a tie is between all"
	twoWorst  choice.TaskProblem = "has two worst alternatives"
	bestWorst choice.TaskProblem = "has the same alternative as the best and the worst"
)

// tasks are choices in the form of [choice.NewRecords], and where each task and row comes from.
type tasks struct {
	names        []string
	cells        []float64
	sizes, ranks []int
	worst        []bool // of each row; nil if the worst is not known

	from []int // the task of each task; nil if nothing was added
	rows []int // the row of each row
}

// offersMore reports whether tasks may have other answers than picks and rankings.
func (c LongForm) offersMore() bool { return c.Outside || c.Ties || c.Worst != "" }

// expand returns the tasks with a row for everything that was offered, and a further task for each
// choice of the worst alternative.
func (c LongForm) expand(given tasks) (tasks, *choice.TaskError) {
	d := len(given.names)
	e := expansion{width: d}
	e.names = slices.Clone(given.names)
	if c.Outside {
		e.names = append(e.names, noneName)
	}
	if c.Ties {
		e.names = append(e.names, tieName)
	}
	first := 0
	for t, size := range given.sizes {
		rows, ranks := given.cells[first*d:(first+size)*d], given.ranks[first:first+size]
		tied, problem := c.tied(ranks)
		if problem != nil {
			return tasks{}, &choice.TaskError{Task: t, Row: first + problem.Row, Problem: problem.Problem}
		}
		e.begin(t)
		for i, rank := range ranks {
			if tied {
				rank = 0
			}
			e.add(rows[i*d:(i+1)*d], 1, rank, first+i)
		}
		if c.Outside {
			e.addConstant(noneName, nil, picked(!slices.ContainsFunc(ranks, func(rank int) bool { return rank > 0 })), first)
		}
		if c.Ties && size > 1 {
			e.addConstant(tieName, rows, picked(tied), first)
		}
		if given.worst != nil {
			if problem := e.addWorst(t, first, rows, ranks, given.worst[first:first+size]); problem != nil {
				return tasks{}, problem
			}
		}
		first += size
	}
	return e.tasks, nil
}

// tied reports whether all alternatives of a task are chosen. It returns a problem if only some
// are.
func (c LongForm) tied(ranks []int) (bool, *choice.TaskError) {
	firsts := 0
	for i, rank := range ranks {
		if rank == 1 {
			firsts++
		}
		if firsts > 1 && !c.Ties {
			return false, &choice.TaskError{Row: i, Problem: choice.TiedRanks}
		}
	}
	if firsts > 1 && firsts < len(ranks) {
		return false, &choice.TaskError{Row: slices.Index(ranks, 1), Problem: someTied}
	}
	return firsts > 1, nil
}

func picked(yes bool) (rank int) {
	if yes {
		return 1
	}
	return 0
}

// An expansion collects tasks.
type expansion struct {
	tasks

	width int // features of the file
}

// begin begins a task that comes from the given one.
func (e *expansion) begin(from int) {
	e.sizes, e.from = append(e.sizes, 0), append(e.from, from)
}

// add adds a row to the last task, with the features times a factor.
func (e *expansion) add(features []float64, factor float64, rank, row int) {
	at := len(e.cells)
	e.cells = append(e.cells, make([]float64, len(e.names))...)
	for k, x := range features {
		e.cells[at+k] = factor * x
	}
	e.sizes[len(e.sizes)-1]++
	e.ranks, e.rows = append(e.ranks, rank), append(e.rows, row)
}

// addConstant adds a row with the mean features of some rows, zero for no rows, and a constant.
func (e *expansion) addConstant(name string, rows []float64, rank, row int) {
	mean := make([]float64, e.width)
	for i, x := range rows {
		mean[i%e.width] += x * float64(e.width) / float64(len(rows))
	}
	e.add(mean, 1, rank, row)
	e.cells[len(e.cells)-len(e.names)+slices.Index(e.names, name)] = 1
}

// addWorst adds the choice of the worst of the alternatives other than the best, if it was made.
func (e *expansion) addWorst(task, first int, rows []float64, ranks []int, worst []bool) *choice.TaskError {
	at, best := slices.Index(worst, true), slices.Index(ranks, 1)
	switch {
	case at < 0 || best < 0 || len(ranks) < 3:
		return nil
	case at == best:
		return &choice.TaskError{Task: task, Row: first + at, Problem: bestWorst}
	case slices.Contains(worst[at+1:], true):
		return &choice.TaskError{Task: task, Row: first + at + 1 + slices.Index(worst[at+1:], true), Problem: twoWorst}
	}
	e.begin(task)
	for i := range ranks {
		if i != best {
			e.add(rows[i*e.width:(i+1)*e.width], -1, picked(i == at), first+i)
		}
	}
	return nil
}
