package planning

// Limits of the deck's depth.
const (
	minDepth           = 16
	maxDepth           = 4096
	answersPerQuestion = 32 // the deck has one question for this many answers
)

// A deck is the planned questions that are unclaimed. A deeper deck serves more concurrent
// respondents; in a shallower one, questions rest on more recent answers. So its depth follows
// demand: twice the number of questions claimed between the last two checks. A deeper deck does no
// harm later in the study: the strategy itself waits for 1/64 more answers before it updates.
type deck struct {
	known   bool
	claimed int // at the last check
	depth   int // at the last check
}

// wanted returns how many more questions to plan, given the numbers of planned and unclaimed ones.
// It is 0 while the deck is more than half full.
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
