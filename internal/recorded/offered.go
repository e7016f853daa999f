package recorded

import (
	"slices"

	"bestpick/choice"
)

// Further answers than a pick or a ranking, in long form. Each choice of a task becomes a task of
// the records: [choice.Alternatives] explains the rows.

// The names of the constants of none and of a tie.
const (
	NoneName = "none"
	TieName  = "tie"
)

// The problems of tasks with further answers.
const (
	someTied  choice.TaskProblem = "has some chosen alternatives, but a tie is between all"
	twoWorst  choice.TaskProblem = "has two worst alternatives"
	bestWorst choice.TaskProblem = "has the same alternative as the best and the worst"
	manyTied  choice.TaskProblem = "has more than 6 alternatives of the same rank, other than the last"
)

// tasks are choices in the form of [choice.NewRecords], and where each task and row comes from.
type tasks struct {
	names        []string
	cells        []float64
	sizes, ranks []int
	worst        []bool // of each row

	from    []int     // the task of each task; nil if nothing was added
	rows    []int     // the row of each row
	weights []float64 // of each task; nil if all are 1
}

// origin returns the problem of a task as one of the task and row that it comes from.
func (t tasks) origin(e *choice.TaskError) *choice.TaskError {
	if t.from == nil {
		return e
	}
	return &choice.TaskError{Task: t.from[e.Task], Row: t.rows[e.Row], Problem: e.Problem}
}

// offeredNames returns the names of the constants.
func (f *LongForm) offeredNames() (names []string) {
	if f.Outside {
		names = append(names, NoneName)
	}
	if f.Ties {
		names = append(names, TieName)
	}
	return names
}

// offersMore reports whether tasks may have other answers than picks and rankings.
func (f *LongForm) offersMore() bool { return f.Outside || f.Ties || f.Worst != "" }

// expand returns the tasks with a row for everything that was offered, and a further task for each
// choice of the worst alternative: the given tasks if nothing but picks and rankings was offered.
func (f *LongForm) expand(given tasks) (tasks, *choice.TaskError) {
	if !f.offersMore() {
		return given, nil
	}
	d := len(given.names)
	e := expansion{width: d, given: given}
	e.names = slices.Concat(given.names, f.offeredNames())
	first := 0
	for t, size := range given.sizes {
		rows, ranks := given.cells[first*d:(first+size)*d], given.ranks[first:first+size]
		tied, problem := f.tied(ranks)
		if problem != nil {
			return tasks{}, given.origin(&choice.TaskError{Task: t, Row: first + problem.Row, Problem: problem.Problem})
		}
		e.begin(t, 1)
		for i, rank := range ranks {
			if tied {
				rank = 0
			}
			e.add(rows[i*d:(i+1)*d], 1, rank, first+i)
		}
		if f.Outside {
			e.addConstant(NoneName, nil, picked(!slices.ContainsFunc(ranks, func(rank int) bool { return rank > 0 })), first)
		}
		if f.Ties && size > 1 {
			e.addConstant(TieName, rows, picked(tied), first)
		}
		if problem := e.addWorst(t, first, rows, ranks, given.worst[first:first+size]); problem != nil {
			return tasks{}, given.origin(problem)
		}
		first += size
	}
	return e.tasks, nil
}

// tied reports whether all alternatives of a task are chosen. It returns a problem if only some
// are.
func (f *LongForm) tied(ranks []int) (bool, *choice.TaskError) {
	firsts := 0
	for i, rank := range ranks {
		if rank == 1 {
			firsts++
		}
		if firsts > 1 && !f.Ties {
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

	given tasks
	width int // features of the file
}

// begin begins a task that comes from a given one, with a share of its weight.
func (e *expansion) begin(from int, weight float64) {
	if e.given.from != nil {
		from, weight = e.given.from[from], weight*e.given.weights[from]
	}
	e.sizes, e.from, e.weights = append(e.sizes, 0), append(e.from, from), append(e.weights, weight)
}

// add adds a row to the last task, with the features times a factor.
func (e *expansion) add(features []float64, factor float64, rank, row int) {
	at := len(e.cells)
	e.cells = append(e.cells, make([]float64, len(e.names))...)
	for k, x := range features {
		e.cells[at+k] = factor * x
	}
	e.sizes[len(e.sizes)-1]++
	if e.given.rows != nil {
		row = e.given.rows[row]
	}
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
	if at < 0 {
		return nil
	}
	switch second := slices.Index(worst[at+1:], true); {
	case second >= 0:
		return &choice.TaskError{Task: task, Row: first + at + 1 + second, Problem: twoWorst}
	case ranks[at] == 1:
		return &choice.TaskError{Task: task, Row: first + at, Problem: bestWorst}
	case best < 0 || len(ranks) < 3:
		return nil
	}
	e.begin(task, 1)
	for i := range ranks {
		if i != best {
			e.add(rows[i*e.width:(i+1)*e.width], -1, picked(i == at), first+i)
		}
	}
	return nil
}

// untied returns the tasks with a task for every choice of a ranking with ties: see [stages].
func (t tasks) untied() (tasks, *choice.TaskError) {
	d := len(t.names)
	e := expansion{tasks: tasks{names: t.names}, width: d}
	first := 0
	for task, size := range t.sizes {
		ranks, all := t.ranks[first:first+size], make([]int, size)
		add := func(left []int, weight float64, rank func(slot int) int) {
			e.begin(task, weight)
			for _, slot := range left {
				e.add(t.cells[(first+slot)*d:(first+slot+1)*d], 1, rank(slot), first+slot)
			}
		}
		for slot := range all {
			all[slot] = slot
		}
		if size == 0 || !hasTies(ranks) {
			add(all, 1, func(slot int) int { return ranks[slot] })
		} else {
			ranks, crowded := withoutGaps(ranks, false)
			if crowded > 0 {
				return tasks{}, &choice.TaskError{Task: task, Row: first, Problem: manyTied}
			}
			stages(ranks, func(left []int, picks int, weight float64) {
				add(left, weight, func(slot int) int { return picked(slot == picks) })
			})
		}
		first += size
	}
	e.worst = make([]bool, len(e.ranks))
	return e.tasks, nil
}
