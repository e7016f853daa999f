package recorded

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"bestpick/internal/table"
)

// ItemForm names the columns of answers about items, in one of these shapes. Order and Shown are columns, or
// the start of their names: rank for rank1, rank2, … If none is named, usual names are recognised, and so are a
// table of ranks and a square table of counts, in which the item of the row won against that of the column.
type ItemForm struct {
	Left, Right string   // the two items of a vote
	Winner      string   // left, right or tie; the name of the column or of the item that won; 1, 0 and −1 or ½, or 1 and 2
	Loser       string   // instead of Left and Right: Winner and Loser are items
	Wins        []string // instead of Winner: the numbers of wins of Left and Right, and of ties

	Order []string // the item in each place, best first
	Ranks []string // a column for each item with its rank; empty and 0 are unranked

	Shown []string // the items on offer, with
	Best  string   // the best one, and
	Worst string   // the worst: by name, letter or number

	Respondent string   // optional
	Count      string   // optional: the number of equal answers that a row stands for
	Offered    []string // items on offer in every answer beside those listed; "all" for all of the file

	Ties bool   // the model has a probability of a tie
	Side bool   // the model has an advantage of the left item
	Base string // the item with utility zero; by default utilities sum to zero

	Where []Condition // selects rows
}

// itemReader reads rows in one shape.
type itemReader struct {
	*Rankings

	rows              *table.Reader
	form              ItemForm
	respondent, count int // columns, −1 if unused
	columns           []int
	labels            []string           // of the columns
	sides             []int              // of a vote: the items and the winner, −1 if the first one is
	picks             []int              // the columns of the best and the worst item
	addRow            func(answer) error // nil before the first row where that decides the shape
	coded             []codedVote
	hints             *hints
}

// A codedVote is a vote whose outcome is a number, which may be that of an item.
type codedVote struct {
	answer int
	code   float64
	isItem bool
}

type outcome int

const (
	leftWins outcome = iota
	rightWins
	tie
)

// readColumns reads a table.
func (r *Rankings) readColumns(source io.Reader, form ItemForm) error {
	rows, err := openRows(source, r.file, form.Where)
	if err != nil {
		return err
	}
	form = form.recognised(rows.Header())
	at, err := optionalColumns(rows, form.Respondent, form.Count)
	if err != nil {
		return err
	}
	c := &itemReader{Rankings: r, rows: rows, form: form, respondent: at[0], count: at[1], hints: newVoteHints(rows, form)}
	if err := c.findShape(); err != nil {
		return err
	}
	if err := rows.Each(c.add); err != nil {
		return err
	}
	r.RespondentCount = len(r.respondents.names)
	r.Hints = c.hints.list("column %[1]q adds up to %[2]d, but each of the %[3]d rows counts as one vote; if it is the number of "+
		"votes, add --count %[4]s", len(r.answers), len(r.answers), "votes")
	return c.settle()
}

// recognised returns the form with columns of usual names where it names none.
func (f ItemForm) recognised(header []string) ItemForm {
	has := func(name string) bool { return name != "" && slices.Contains(header, name) }
	first := func(names ...string) string {
		for _, name := range names {
			if at := slices.IndexFunc(header, func(column string) bool { return strings.EqualFold(column, name) }); at >= 0 {
				return header[at]
			}
		}
		return ""
	}
	named := f.Left+f.Right+f.Winner+f.Loser+f.Best+f.Worst != "" || len(f.Wins)+len(f.Order)+len(f.Ranks)+len(f.Shown) > 0
	best, worst := first("best"), first(worstColumn)
	if len(f.Shown) > 0 || f.Best+f.Worst != "" || !named && best != "" && worst != "" {
		if len(f.Shown) == 0 {
			f.Shown = family(header)
		}
		if f.Best == "" {
			f.Best = first("best", "chosen", "choice", "pick", "winner")
		}
		if f.Worst == "" && !named {
			f.Worst = worst
		}
		return f
	}
	left, right, wins := votesOf(header)
	switch winner := first("winner", "result", "outcome"); {
	case len(f.Wins) > 0 && f.Left+f.Right == "":
		f.Left, f.Right = left, right
	case named:
	case has("winner") && has("loser"):
		f.Winner, f.Loser = "winner", "loser"
	case left != "" && winner != "":
		f.Left, f.Right, f.Winner = left, right, winner
	case left != "" && wins != nil:
		f.Left, f.Right, f.Wins = left, right, wins
		if ties := first("ties", "tie", "tied", "draws", "draw", "t_ij"); ties != "" {
			f.Wins = append(f.Wins, ties)
		}
	default:
		f.Order = orderOf(header)
	}
	return f
}

// orderOf returns the start of the names of the columns of an order: rank1, rank2, …
func orderOf(header []string) []string {
	isWord := func(place string) bool { _, err := strconv.Atoi(place); return err != nil }
	for _, stem := range []string{rankColumn, "place", "position", "pref", "preference", "choice", "order"} {
		if places := alternativesOf(header, stem); len(places) > 1 && !slices.ContainsFunc(places, isWord) {
			return []string{stem}
		}
	}
	return nil
}

// maxRecognised is the number of columns among which those of answers are recognised.
const maxRecognised = 1000

// votesOf returns the columns of the items of votes, and those of their wins: columns whose names differ
// only in a word for the side.
func votesOf(header []string) (left, right string, wins []string) {
	header = header[:min(len(header), maxRecognised)]
	sides := [][2]string{
		{"left", "right"}, {"home", "away"}, {"row", "col"}, {"win", "loss"}, {"_a", "_b"}, {"_ij", "_ji"}, {"i", "j"}, {"1", "2"},
	}
	for _, side := range sides {
		for _, column := range header {
			lower := strings.ToLower(column)
			other := strings.Replace(lower, side[0], side[1], 1)
			at := slices.IndexFunc(header, func(name string) bool { return strings.EqualFold(name, other) })
			if other == lower || at < 0 || len(side[0]) == 1 && side[0] > "9" && lower != side[0] {
				continue
			}
			other = header[at]
			isWins := strings.Contains(lower, "win") || strings.HasPrefix(lower, "w_")
			switch {
			case isWins && wins == nil:
				wins = []string{column, other}
			case !isWins && left == "":
				left, right = column, other
			}
		}
	}
	return left, right, wins
}

// family returns the start of the names of most columns that differ in a letter or a number at the end.
func family(header []string) (stem []string) {
	most := 1
	header = header[:min(len(header), maxRecognised)]
	for _, column := range header {
		for _, separator := range []string{"_", ".", ":", "-", " ", ""} {
			for _, label := range []string{"a", "A", "1"} {
				found, is := strings.CutSuffix(column, separator+label)
				if !is || found == "" {
					continue
				}
				if count := len(alternativesOf(header, found)); count > most {
					stem, most = []string{found}, count
				}
			}
		}
	}
	return stem
}

// findShape finds the columns of the form.
func (c *itemReader) findShape() error {
	var err error
	f := &c.form
	switch {
	case f.Left+f.Right+f.Winner+f.Loser != "" || len(f.Wins) > 0:
		c.addRow = c.addVote
		names := []string{f.Left, f.Right, f.Winner}
		if f.Loser != "" {
			names = []string{f.Winner, f.Loser, ""}
		} else if len(f.Wins) > 0 {
			c.addRow = c.addWins
		}
		if c.sides, err = optionalColumns(c.rows, names...); err == nil {
			c.columns, err = optionalColumns(c.rows, f.Wins...)
		}
	case len(f.Order) > 0:
		c.addRow = c.addOrder
		err = c.spread(f.Order)
	case len(f.Ranks) > 0:
		c.addRow = c.addRanks
		err = c.spread(f.Ranks)
	case len(f.Shown) > 0 || f.Best != "":
		c.addRow = c.addBest
		if err = c.spread(f.Shown); err != nil {
			return err
		}
		c.picks, err = optionalColumns(c.rows, f.Best, f.Worst)
	}
	return err
}

// spread finds the given columns, or those whose names start with the only one.
func (c *itemReader) spread(names []string) error {
	c.labels = names
	if len(names) == 1 && !hasColumn(c.rows, names[0]) {
		c.labels = alternativesOf(c.rows.Header(), names[0])
		c.columns, _, _ = columnsOf(c.rows.Header(), names[0], c.labels)
	}
	if len(c.labels) < 2 {
		return c.rows.ErrorAt(0, "", "at least two columns must have the items or their ranks; there are %s",
			strings.Join(c.rows.Header(), ", "))
	}
	if c.columns == nil {
		var err error
		c.columns, err = optionalColumns(c.rows, names...)
		return err
	}
	return nil
}

// add adds the current row.
func (c *itemReader) add() error {
	a := answer{line: int32(c.rows.Line()), times: 1}
	if c.addRow == nil {
		if err := c.decide(); err != nil {
			return err
		}
	}
	var err error
	if c.respondent >= 0 {
		person := c.rows.Text(c.respondent)
		if person == "" {
			return c.rows.Missing(c.respondent)
		}
		a.respondent = int32(c.respondents.add(person))
	}
	if c.count >= 0 {
		if a.times, err = c.times(c.count, 1); err != nil {
			return err
		}
	}
	c.hints.addRow()
	return c.addRow(a)
}

// decide determines by the first row whether a table is one of counts, with an item in the first column that is
// also the name of another, or one of ranks, from 1 to the number of columns.
func (c *itemReader) decide() error {
	header := c.rows.Header()
	if len(header) > 2 && slices.Contains(header[1:], c.rows.Text(0)) {
		c.addRow = c.addCounts
		return nil
	}
	var ranks []int
	for i, name := range header {
		switch rank, err := strconv.Atoi(c.rows.Text(i)); {
		case i == c.respondent || i == c.count || i == 0 && name == "":
		case err != nil:
			ranks = append(ranks, 0)
		default:
			c.labels, c.columns, ranks = append(c.labels, name), append(c.columns, i), append(ranks, rank)
		}
	}
	slices.Sort(ranks)
	for i, rank := range ranks {
		if rank != i+1 {
			ranks = nil
		}
	}
	if len(ranks) < 3 {
		return c.rows.ErrorAt(0, "", "choices need --features or --constants; votes and rankings need columns with usual names, "+
			"such as left, right and winner, or flags that name them (see bestpick fit --help)")
	}
	c.addRow = c.addRanks
	return nil
}

// times returns the number of answers in a column of the current row.
func (c *itemReader) times(column int, least float64) (float64, error) {
	const most = 1e9
	if least == 0 && table.IsMissing(c.rows.Text(column)) {
		return 0, nil
	}
	x, err := c.rows.Number(column)
	if err == nil && !(x >= least && x <= most && x == float64(int(x))) {
		err = c.rows.Errorf(column, "a count must be a whole number from %v to %d, got %s", least, int(most), c.rows.Text(column))
	}
	return x, err
}

// bothSides returns the items of a vote.
func (c *itemReader) bothSides() (left, right int32, err error) {
	for _, column := range c.sides[:2] {
		if c.rows.Text(column) == "" {
			return 0, 0, c.rows.Missing(column)
		}
	}
	left, right = c.item(c.rows.Text(c.sides[0])), c.item(c.rows.Text(c.sides[1]))
	if left == right {
		err = c.rows.Errorf(c.sides[1], "both sides are %q", c.rows.Text(c.sides[1]))
	}
	return left, right, err
}

// addPair adds votes of the same outcome, if there are any.
func (r *Rankings) addPair(left, right int32, o outcome, a answer) {
	if a.times == 0 {
		return
	}
	a.first, a.size = int32(len(r.places)), 2
	r.places = append(r.places, place{item: left}, place{item: right})
	r.answers = append(r.answers, a)
	r.total += a.times
	r.widest = max(r.widest, 2)
	r.setOutcome(len(r.answers)-1, o)
}

func (r *Rankings) setOutcome(answer int, o outcome) {
	first := r.answers[answer].first
	r.places[first].rank, r.places[first+1].rank = int32(picked(o != rightWins)), int32(picked(o != leftWins))
}

// addVote adds a row with a winner: by its side, by the name of its column, by the item, or by a number.
func (c *itemReader) addVote(a answer) error {
	left, right, err := c.bothSides()
	if err != nil || c.sides[2] < 0 {
		c.addPair(left, right, leftWins, a)
		return err
	}
	text := c.rows.Text(c.sides[2])
	o := leftWins
	switch lower := strings.ToLower(text); {
	case text == "":
		return c.rows.Missing(c.sides[2])
	case lower == "left", text == c.form.Left:
	case lower == "right", text == c.form.Right:
		o = rightWins
	case lower == "tie", lower == "draw", strings.HasPrefix(lower, "tie ("): // tie (bothbad)
		o = tie
	default:
		code, isNumber := table.ParseNumber(text)
		isLeft, isRight := text == c.items.names[left], text == c.items.names[right]
		if !isLeft && !isRight && !isNumber {
			return c.rows.Errorf(c.sides[2], "%q is not left, right or tie, nor one of the two items", text)
		}
		if o = outcome(picked(isRight)); isNumber {
			c.coded = append(c.coded, codedVote{len(c.answers), code, isLeft || isRight})
		}
	}
	c.addPair(left, right, o, a)
	return nil
}

// settle decodes outcomes that are numbers. If not all are items, −1 says that 1 is left and 0 a tie; 2 that 1
// is left and 2 right; otherwise the number is the share of the left side.
func (c *itemReader) settle() error {
	has := func(code float64) bool {
		return slices.ContainsFunc(c.coded, func(v codedVote) bool { return v.code == code })
	}
	meaning := map[float64]outcome{1: leftWins, 0.5: tie, 0: rightWins}
	switch {
	case !slices.ContainsFunc(c.coded, func(v codedVote) bool { return !v.isItem }):
		return nil
	case has(-1):
		meaning = map[float64]outcome{1: leftWins, 0: tie, -1: rightWins}
	case has(2):
		meaning = map[float64]outcome{1: leftWins, 0: tie, 2: rightWins}
	}
	for _, v := range c.coded {
		o, known := meaning[v.code]
		if !known {
			return c.rows.ErrorAt(int(c.answers[v.answer].line), c.form.Winner,
				"%v is not a result: 1, 0 and -1; 1, 0.5 and 0; or 1 and 2, with 0 for a tie", v.code)
		}
		c.setOutcome(v.answer, o)
	}
	return nil
}

// addWins adds a row with the numbers of wins of both sides, and of ties.
func (c *itemReader) addWins(a answer) error {
	left, right, err := c.bothSides()
	if err != nil {
		return err
	}
	times := a.times
	for i, column := range c.columns {
		wins, err := c.times(column, 0)
		if err != nil {
			return err
		}
		a.times = wins * times
		c.addPair(left, right, outcome(i), a)
	}
	return nil
}

// addCounts adds the row of an item in a square table. The diagonal does not count.
func (c *itemReader) addCounts(a answer) error {
	header, name := c.rows.Header(), c.rows.Text(0)
	if !slices.Contains(header[1:], name) {
		return c.rows.Errorf(0, "%q has no column; a table of counts has the same items in rows and columns", name)
	}
	row := c.item(name)
	times := a.times
	for i, name := range header {
		if i == 0 || i == c.respondent || i == c.count {
			continue
		}
		wins, err := c.times(i, 0)
		if err != nil {
			return err
		}
		if other := c.item(name); other != row {
			a.times = wins * times
			c.addPair(row, other, leftWins, a)
		}
	}
	return nil
}

// addOrder adds a row with the item in each place. Empty places are left out.
func (c *itemReader) addOrder(a answer) error {
	var places []place
	for _, column := range c.columns {
		if name := c.rows.Text(column); !table.IsMissing(name) {
			places = append(places, place{c.item(name), int32(len(places) + 1)})
		}
	}
	return c.Rankings.add(places, a)
}

// addRanks adds a row with the rank of each item. Equal ranks are ties; ranks may be means, such as 1.5.
func (c *itemReader) addRanks(a answer) error {
	var places []place
	for i, column := range c.columns {
		p := place{item: c.item(c.labels[i])}
		if text := c.rows.Text(column); !table.IsMissing(text) && text != "0" {
			x, err := c.rows.Number(column)
			if err == nil && !(x >= 1 && x <= float64(len(c.columns)) && 2*x == float64(int(2*x))) {
				err = c.rows.Errorf(column, "%q is not a rank from 1 to %d, or empty", text, len(c.columns))
			}
			if err != nil {
				return err
			}
			p.rank = int32(2 * x)
		}
		places = append(places, p)
	}
	return c.Rankings.add(places, a)
}

// addBest adds a row with the items shown and the best of them, and the worst. Best and worst of three items are an order.
func (c *itemReader) addBest(a answer) error {
	var places []place
	var labels []string
	for i, column := range c.columns {
		if name := c.rows.Text(column); !table.IsMissing(name) {
			places, labels = append(places, place{item: c.item(name)}), append(labels, c.labels[i])
		}
	}
	best, err := c.find(c.picks[0], places, labels)
	if err != nil {
		return err
	}
	worst, err := c.find(c.picks[1], places, labels)
	if err != nil {
		return err
	}
	if best >= 0 && best == worst {
		return c.rows.Errorf(c.picks[1], "%q is the best and the worst item", c.rows.Text(c.picks[1]))
	}
	if worst >= 0 && len(places) <= 3 {
		for i := range places {
			places[i].rank = 2
		}
		places[worst].rank = 0
	} else if worst >= 0 {
		places[worst].rank = worstRank
		c.BestWorst = true
	}
	if best >= 0 {
		places[best].rank = 1
	}
	return c.Rankings.add(places, a)
}

// find returns which of the items shown a column of the current row means, −1 if none: by the item, by the label of its
// column, or by its number or letter.
func (c *itemReader) find(column int, shown []place, labels []string) (int, error) {
	if column < 0 || table.IsMissing(c.rows.Text(column)) {
		return -1, nil
	}
	text := c.rows.Text(column)
	at := slices.IndexFunc(shown, func(p place) bool { return c.items.names[p.item] == text })
	if at < 0 {
		at = slices.IndexFunc(labels, func(label string) bool { return strings.EqualFold(label, text) })
	}
	if number, err := strconv.Atoi(text); at < 0 && err == nil && number >= 1 && number <= len(shown) {
		at = number - 1
	}
	if letter := strings.ToUpper(text); at < 0 && len(letter) == 1 && letter >= "A" && int(letter[0]-'A') < len(shown) {
		at = int(letter[0] - 'A')
	}
	if at < 0 {
		return 0, c.rows.Errorf(column, "%q is none of the items of the row, nor a letter or a number of one", text)
	}
	return at, nil
}
