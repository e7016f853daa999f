package web

import (
	"context"
	"html/template"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"bestpick/internal/catalogue/archive"
	"bestpick/internal/study"
	"bestpick/internal/study/dispatch"
	"bestpick/internal/study/live"
)

// A question is what a respondent looks at.
type question struct {
	Token  string
	Prompt string
	Number int // of those that the respondent was asked
	Each   int // how many these will be; 0 where there is no end
	Picks  int // how many to pick, best first
	Picked []int
	Lease  int // seconds until it expires
	Cards  []card
}

// A card is an arm on the screen.
type card struct {
	ID, Title, Text string
	Picture         template.URL
	Attributes      []archive.AttributeValue
	Rank            int // among those picked; 0 where it is not
}

// Ranking reports whether several are picked, in order.
func (q *question) Ranking() bool { return q.Picks > 1 }

// LastKey is that of the last card that has one.
func (q *question) LastKey() int { return min(len(q.Cards), 9) }

// Done is how many there were before.
func (q *question) Done() int { return q.Number - 1 }

// Pictures reports whether there are any.
func (q *question) Pictures() bool {
	return slices.ContainsFunc(q.Cards, func(c card) bool { return c.Picture != "" })
}

// dealt returns the question of a lease. A question that is served again has less time left.
func (p *Pages) dealt(ctx context.Context, lease dispatch.Lease) (question, error) {
	q := question{
		Token: lease.Token, Prompt: lease.Study.Prompt, Number: lease.Done + 1, Each: lease.Study.Settings.Each, Picks: lease.Picks(),
		Lease: max(1, int(math.Ceil(time.Until(lease.Expires).Seconds()))),
	}
	var err error
	q.Cards, err = p.cards(ctx, lease.Study, lease.Shown)
	return q, err
}

// again is the question of a ticket, whose form was sent.
func (p *Pages) again(r *http.Request, t dispatch.Ticket) (question, error) {
	q := question{
		Token: r.PostFormValue("token"), Prompt: t.Study.Prompt, Number: numberOf(r), Each: t.Study.Settings.Each, Picks: t.Picks(),
		Lease: int(t.Study.Settings.Lease.Seconds()),
	}
	var err error
	q.Cards, err = p.cards(r.Context(), t.Study, t.Shown)
	return q, err
}

// numberOf returns the number of the question whose form was sent. It is only shown.
func numberOf(r *http.Request) int {
	number, _ := strconv.Atoi(r.PostFormValue("number"))
	return number
}

// cards are those of the arms shown, in the order on the screen.
func (p *Pages) cards(ctx context.Context, s study.Study, shown []int) ([]card, error) {
	arms, err := p.studies.Live.ArmsWith(ctx, s, shown...)
	if err != nil {
		return nil, err
	}
	return cardsOf(live.RespondentCards(s.Settings, p.studies.Live.Cards(s, arms)), arms.Profiles == nil, shown), nil
}

// cardsOf are those of some arms. Listed ones without a label are called by their ids.
func cardsOf(of func(arm int) archive.Card, listed bool, shown []int) []card {
	cards := make([]card, len(shown))
	for slot, arm := range shown {
		c := of(arm)
		title := c.Label
		if title == "" && listed {
			title = c.ID
		}
		cards[slot] = card{ID: c.ID, Title: title, Text: c.Description, Picture: pictureURL(c.Image), Attributes: c.Attributes}
	}
	return cards
}

// pick takes a card as the next best or, if it is picked already, takes that back.
func (q *question) pick(slot int) {
	if at := slices.Index(q.Picked, slot); at >= 0 {
		q.Picked = slices.Delete(q.Picked, at, at+1)
	} else {
		q.Picked = append(q.Picked, slot)
	}
	for slot := range q.Cards {
		q.Cards[slot].Rank = slices.Index(q.Picked, slot) + 1
	}
}
