package planning

// How many questions are planned ahead.
const (
	minDepth           = 16
	maxDepth           = 4096
	answersPerQuestion = 32 // the deck has one question for this many answers
)

// A deck is the questions that are planned and unclaimed. The deeper it is, the more
// people can come at once; the shallower, the more a question knows of the answers before it. So its
// depth follows demand: twice what was claimed between the last two looks at it. Some questions more
// do no harm as the study goes on: the strategy itself waits for a share of the answers, 1/64,
// before it learns from them.
type deck struct {
	known   bool
	claimed int // when it was looked at last
	depth   int // that it had then
}

// wanted returns how many more questions to plan, after planned ones of which some are unclaimed. While
// the deck is at least half full that is none.
func (d *deck) wanted(planned, unclaimed, answers int) int {
	claimed := planned - unclaimed
	depth := max(minDepth, answers/answersPerQuestion)
	if d.known {
		depth = max(depth, 2*(claimed-d.claimed))
	}
	d.known, d.claimed, d.depth = true, claimed, min(depth, maxDepth)
	if !d.low(unclaimed) {
		return 0
	}
	return d.depth - unclaimed
}

// low reports whether the deck is at most half full.
func (d *deck) low(unclaimed int) bool { return unclaimed <= d.depth/2 }

// FirstQuestions returns how many questions to plan when a study begins with answers.
func FirstQuestions(answers int) int { return new(deck).wanted(0, 0, answers) }
