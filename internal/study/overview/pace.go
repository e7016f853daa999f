package overview

import "time"

// maxSpans is the maximum number of time spans in a pace.
const maxSpans = 120

// A Pace is the number of answers per time span; all spans have the same length.
type Pace struct {
	Start   time.Time
	Span    time.Duration
	Answers []int
}

// add counts an answer. If there are too many spans, it doubles their length.
func (p *Pace) add(at time.Time) {
	if p.Answers == nil {
		p.Start, p.Span, p.Answers = at.Truncate(time.Second), time.Second, []int{0}
	}
	for at.Sub(p.Start) >= maxSpans*p.Span {
		p.double()
	}
	number := max(0, int(at.Sub(p.Start)/p.Span)) // clocks of processes differ a little
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
