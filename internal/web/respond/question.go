package respond

import (
	"context"
	"html/template"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"

	"bestpick/internal/catalogue/archive"
	"bestpick/internal/study"
	"bestpick/internal/study/dispatch"
)

// A Question is a question on a respondent's page.
type Question struct {
	Token  string
	Prompt string
	Number int // from 1, for this respondent
	Each   int // the limit per respondent; 0 for none
	Picks  int // the number of picks, best first
	Picked []int
	Lease  int // seconds until it expires
	Cards  []Card

	Context template.HTML // the context in which the cards are compared; empty without one

	None, Tie, Worst bool // whether these can be answered besides, or the worst card is picked after the best

	repeats bool // nothing limits how often a respondent sees an arm, because they are dealt no hand
}

// A Card shows an arm.
type Card struct {
	ID, Title, Text string
	Output          template.HTML // the text of the arm in a context, instead of all else
	Picture         template.URL
	Attributes      []archive.AttributeValue
	Rank            int // among the picks; 0 if not picked
}

// Ranking reports whether a question has several picks.
func (q *Question) Ranking() bool { return q.Picks > 1 }

// LastKey returns the number key of the last card that has one.
func (q *Question) LastKey() int { return min(len(q.Cards), 9) }

// Done returns the number of earlier questions.
func (q *Question) Done() int { return q.Number - 1 }

// Returns reports whether the page says that options return: with the second and the third question, and where nothing
// limits it from the first one on. In contexts options have other texts in each question.
func (q *Question) Returns() bool {
	return q.Context == "" && (q.Number == 2 || q.Number == 3 || q.Number <= 1 && q.repeats && q.Each != 1)
}

// Pictures reports whether any card has a picture.
func (q *Question) Pictures() bool {
	return slices.ContainsFunc(q.Cards, func(c Card) bool { return c.Picture != "" })
}

// Level reports whether the attributes of neighbouring cards can share rows: all cards have the same ones, and at
// most as many as the stylesheet provides for.
func (q *Question) Level() bool {
	const maxRows = 20
	first := q.Cards[0].Attributes
	return len(first) <= maxRows && !slices.ContainsFunc(q.Cards, func(c Card) bool {
		return !slices.EqualFunc(c.Attributes, first, func(a, b archive.AttributeValue) bool { return a.Name == b.Name })
	})
}

// leased returns the question of a lease. A question that is served again has less time left.
func (p *Pages) leased(ctx context.Context, lease dispatch.Lease) (*Question, error) {
	q := question(lease.Study, lease.Token, lease.Done+1, lease.Picks())
	q.Lease = max(1, int(math.Ceil(lease.Expires.Sub(p.Clock()).Seconds())))
	return q, p.setCards(ctx, q, lease.Study, lease.Position, lease.Shown)
}

// again returns the question of a token.
func (p *Pages) again(r *http.Request, t dispatch.Ticket) (*Question, error) {
	q := question(t.Study, r.PostFormValue("token"), numberOf(r), t.Picks())
	q.Lease = int(t.Study.Settings.Lease.Seconds())
	return q, p.setCards(r.Context(), q, t.Study, t.Position, t.Shown)
}

// question returns a question of a study without its cards.
func question(s study.Study, token string, number, picks int) *Question {
	offer := s.Settings.Strategy.Offer
	return &Question{
		Token: token, Prompt: s.Prompt, Number: number, Each: s.Settings.PerRespondent, Picks: picks,
		None: offer.Outside, Tie: offer.Ties, Worst: offer.BestWorst,
		repeats: s.Settings.HandSize() == 0,
	}
}

// numberOf returns the number of the question whose form was sent. It is only shown.
func numberOf(r *http.Request) int {
	number, _ := strconv.Atoi(r.PostFormValue("number"))
	return number
}

// setCards sets the context of the question at a position, and the cards of the arms shown, in the order on the screen.
func (p *Pages) setCards(ctx context.Context, q *Question, s study.Study, position study.Position, shown []int) error {
	arms, err := p.Live.ArmsWith(ctx, s, shown...)
	if err != nil {
		return err
	}
	scene, cards := p.Live.QuestionCards(s, arms, position)
	q.Cards = CardsOf(cards, arms.Profiles == nil && scene.Name == "", shown)
	if scene.Name == "" {
		return nil
	}
	q.Context = output(scene.Name, scene.Format)
	for slot, arm := range shown {
		q.Cards[slot].Output = output(cards(arm).Text, scene.Format)
	}
	return nil
}

// output returns a text of a context as HTML.
func output(text string, format archive.TextFormat) template.HTML {
	if format == archive.Markdown {
		return markdownHTML(text)
	}
	return template.HTML("<p>" + template.HTMLEscapeString(text) + "</p>")
}

// CardsOf returns the cards of arms. The title of a listed arm without a label is its ID.
func CardsOf(of func(arm int) archive.Card, listed bool, shown []int) []Card {
	cards := make([]Card, len(shown))
	for slot, arm := range shown {
		c := of(arm)
		title := c.Label
		if title == "" && listed {
			title = c.ID
		}
		cards[slot] = Card{ID: c.ID, Title: title, Text: c.Description, Picture: pictureURL(c.Image), Attributes: c.Attributes}
	}
	return cards
}

// inPlace matches a data URL of a picture. An SVG drawing is shown as a picture, in which no script
// runs. Quotes and brackets must be percent-encoded.
var inPlace = regexp.MustCompile(`^data:image/(png|jpeg|gif|webp|avif|svg\+xml)(;charset=utf-8|;utf8)?(;base64)?,[!#-&(-;=?-~]*$`)

// pictureURL returns the address of an arm's picture, or nothing where there is none that a browser may load: it
// is stored here, comes by TLS or is given in place. The policy of the pages says the same.
func pictureURL(address string) template.URL {
	if inPlace.MatchString(address) {
		return template.URL(address)
	}
	if study.IsPicturePath(address) {
		return template.URL(address)
	}
	if parsed, err := url.Parse(address); err == nil && parsed.Scheme == "https" && parsed.Host != "" && parsed.User == nil {
		return template.URL(parsed.String())
	}
	return ""
}

// pick gives a card the next rank, or removes its rank if it has one.
func (q *Question) pick(slot int) {
	if at := slices.Index(q.Picked, slot); at >= 0 {
		q.Picked = slices.Delete(q.Picked, at, at+1)
	} else {
		q.Picked = append(q.Picked, slot)
	}
	for slot := range q.Cards {
		q.Cards[slot].Rank = slices.Index(q.Picked, slot) + 1
	}
}
