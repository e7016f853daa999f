package overview

import "time"

// maxSpans is how many spans of time a pace has at most.
const maxSpans = 120

// A Pace is how many answers came in each span of time, all of one length.
type Pace struct {
	Start   time.Time
	Span    time.Duration
	Answers []int
}

// add counts an answer. Spans become twice as long when there are too many of them.
func (p *Pace) add(at time.Time) {
	if p.Answers == nil {
		p.Start, p.Span, p.Answers = at.Truncate(time.Second), time.Second, []int{0}
	}
	for at.Sub(p.Start) >= maxSpans*p.Span {
		p.double()
	}
	number := max(0, int(at.Sub(p.Start)/p.Span)) // clocks of two processes differ a little
	for len(p.Answers) <= number {
		p.Answers = append(p.Answers, 0)
	}
	p.Answers[number]++
}

func (p *Pace) double() {
	start := p.Start.Truncate(2 * p.Span)
	shift := int(p.Start.Sub(start) / p.Span) // 0 or 1
	answers := make([]int, (len(p.Answers)+shift+1)/2)
	for i, n := range p.Answers {
		answers[(i+shift)/2] += n
	}
	p.Start, p.Span, p.Answers = start, 2*p.Span, answers
}
