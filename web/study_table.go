package web

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"bestpick/access"
	"bestpick/catalogue"
)

// tablePage is how many arms are on a page of the table.
const tablePage = 25

// A tableQuery is what somebody wants to see of the table of arms.
type tableQuery struct {
	Search  string
	Sort    string // a column
	Reverse bool   // the other way round
	Page    int    // from 1
}

// The columns of the table.
const (
	byStanding = "standing"
	byName     = "option"
	byShown    = "shown"
	byPicked   = "picked"
	byShare    = "share"
	byUtility  = "utility"
)

func tableColumns() []string {
	return []string{byName, byStanding, byShown, byPicked, byShare, byUtility}
}

// longestSearch is how long a text to search for may be, in bytes.
const longestSearch = 200

func readTableQuery(r *http.Request) tableQuery {
	q := tableQuery{Search: strings.TrimSpace(r.FormValue("q")), Sort: byStanding, Page: 1}
	if len(q.Search) > longestSearch || !isText(q.Search) {
		q.Search = ""
	}
	if sort := r.FormValue("sort"); slices.Contains(tableColumns(), sort) {
		q.Sort = sort
	}
	q.Reverse = r.FormValue("order") == "reverse"
	if page, err := strconv.Atoi(r.FormValue("page")); err == nil {
		q.Page = max(1, page)
	}
	return q
}

// An armsTable is a page of the table.
type armsTable struct {
	tableQuery
	studyView

	Columns []tableColumn
	Rows    []armRow
	Found   int
	Pages   int
}

// A tableColumn can be sorted by.
type tableColumn struct {
	Name, Title, Address string
	Order                string // ascending, descending or none, as assistive programs want it
}

// An armRow is an arm.
type armRow struct {
	Name, ID, About       string
	Standing              string
	Shown, Picked         int
	Share, Utility        float64
	Estimated, Withdrawn  bool
	Withdrawable, Leading bool
	arm, rank             int
	key                   string // to sort by
}

// Table is the page of the table that was asked for.
func (v studyView) Table() armsTable {
	t := armsTable{tableQuery: v.table, studyView: v}
	if t.Sort == "" {
		t.tableQuery = tableQuery{Sort: byStanding, Page: 1}
	}
	list := v.armRows()
	if wanted := strings.ToLower(t.Search); wanted != "" {
		list = slices.DeleteFunc(list, func(r armRow) bool { return !matches(v.card(r.arm), wanted) })
	}
	v.sortRows(list, t.tableQuery)
	t.Found = len(list)
	t.Pages = max(1, (len(list)+tablePage-1)/tablePage)
	t.Page = min(t.Page, t.Pages)
	t.Rows = list[min(len(list), (t.Page-1)*tablePage):min(len(list), t.Page*tablePage)]
	for i := range t.Rows {
		v.complete(&t.Rows[i], v.card(t.Rows[i].arm))
	}
	for _, name := range tableColumns() {
		column := tableColumn{Name: name, Title: v.must("column." + name), Address: t.at(name, t.Sort == name && !t.Reverse, 1), Order: "none"}
		if t.Sort == name {
			column.Order = "ascending"
			if descends(name) != t.Reverse {
				column.Order = "descending"
			}
		}
		t.Columns = append(t.Columns, column)
	}
	return t
}

// descends reports whether the largest of a column come first unless one wants them last.
func descends(column string) bool { return column != byName && column != byStanding }

// at is the address of another page of the table.
func (t armsTable) at(sort string, reverse bool, page int) string {
	query := url.Values{}
	set := func(name, value string, is bool) {
		if is {
			query.Set(name, value)
		}
	}
	set("q", t.Search, t.Search != "")
	set("sort", sort, sort != byStanding)
	set("order", "reverse", reverse)
	set("page", strconv.Itoa(page), page > 1)
	set("lang", t.Chosen, t.Chosen != "")
	address := studiesPath + url.PathEscape(t.Study.ID)
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	return address + "#arms"
}

// Before is the address of the page before, and After that of the next.
func (t armsTable) Before() string { return t.at(t.Sort, t.Reverse, t.Page-1) }

// After is the address of the next page.
func (t armsTable) After() string { return t.at(t.Sort, t.Reverse, t.Page+1) }

// matches reports whether something that is shown of an arm has a text in it, in small letters.
func matches(card catalogue.Card, wanted string) bool {
	has := func(text string) bool { return strings.Contains(strings.ToLower(text), wanted) }
	return has(card.ID) || has(card.Label) || has(card.Description) ||
		slices.ContainsFunc(card.Attributes, func(a catalogue.AttributeValue) bool { return has(a.Value) })
}

// armRows are all arms, or of a product with very many those that have been shown.
func (v studyView) armRows() []armRow {
	counted := map[int][2]int{}
	var utilities []float64
	if v.overview != nil {
		for _, c := range v.overview.Arms {
			counted[c.Arm] = [2]int{c.Shown, c.Picked}
		}
		utilities = v.overview.Estimates(v.arms.Arms)
	}
	ranks := map[int]int{}
	if v.Verdict.Leader >= 0 {
		ranks[v.Verdict.Leader] = 1
	}
	for i, c := range v.Verdict.Contenders {
		ranks[c.Arm] = 2 + i
	}
	withdrawn := map[int]bool{}
	for _, arm := range v.Study.Withdrawn {
		withdrawn[arm] = true
	}
	var list []armRow
	add := func(arm int) {
		r := armRow{arm: arm, rank: ranks[arm], Shown: counted[arm][0], Picked: counted[arm][1], Withdrawn: withdrawn[arm]}
		if r.Shown > 0 {
			r.Share = float64(r.Picked) / float64(r.Shown)
		}
		if utilities != nil && v.Verdict.Leader >= 0 {
			r.Utility, r.Estimated = utilities[arm]-utilities[v.Verdict.Leader], true
		}
		list = append(list, r)
	}
	if n := v.arms.Arms.Len(); v.arms.Profiles == nil || n <= tableMost {
		for arm := range n {
			add(arm)
		}
		return list
	}
	some := map[int]bool{}
	for arm := range counted {
		some[arm] = true
	}
	for arm := range ranks {
		some[arm] = true
	}
	for arm := range some {
		add(arm)
	}
	return list
}

// tableMost is how many profiles of a product are in the table, whether or not they were shown.
const tableMost = 10_000

// sortRows puts arms in the order that is wanted, and in that of the catalogue where it does not matter.
func (v studyView) sortRows(list []armRow, q tableQuery) {
	if name := v.names(); q.Sort == byName {
		for i := range list {
			list[i].key = strings.ToLower(name(list[i].arm))
		}
	}
	last := len(v.Verdict.Contenders) + 2 // after all who are possible
	rank := func(r armRow) int {
		switch {
		case r.Withdrawn:
			return last + 1
		case r.rank == 0:
			return last
		}
		return r.rank
	}
	slices.SortFunc(list, func(a, b armRow) int {
		var order int
		switch q.Sort {
		case byName:
			order = cmp.Compare(a.key, b.key)
		case byShown:
			order = cmp.Compare(b.Shown, a.Shown)
		case byPicked:
			order = cmp.Compare(b.Picked, a.Picked)
		case byShare:
			order = cmp.Compare(b.Share, a.Share)
		case byUtility:
			order = cmp.Compare(b.Utility, a.Utility)
		default:
			order = cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(b.Utility, a.Utility))
		}
		if q.Reverse {
			order = -order
		}
		return cmp.Or(order, cmp.Compare(a.arm, b.arm))
	})
}

// complete adds to a row what is shown of it.
func (v studyView) complete(r *armRow, card catalogue.Card) {
	r.Name, r.ID = armName(v.arms, card), card.ID
	var about []string
	for _, a := range card.Attributes {
		about = append(about, a.Name+" "+a.Value)
	}
	r.About = strings.Join(about, " · ")
	switch {
	case r.Withdrawn:
		r.Standing = "withdrawn"
	case r.rank == 1:
		r.Standing, r.Leading = "leader", true
		if v.Verdict.Status == certified {
			r.Standing = "best"
		}
	case r.rank > 1:
		r.Standing = "possible"
	case v.Verdict.Leader >= 0 && v.Verdict.Others == 0 && v.Verdict.Answered > 0:
		r.Standing = "refuted"
	}
	r.Withdrawable = v.Owner && v.Changeable() && !r.Withdrawn && v.arms.Profiles == nil && !v.Study.Settings.Strategy.Model.Clicks &&
		v.Present() > v.Study.Settings.Strategy.K
}

// armsPart is the table by itself, for script.
func (p *Pages) armsPart(w http.ResponseWriter, r *http.Request, who access.Token) {
	v, err := p.view(r.Context(), r, who)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	v.table = readTableQuery(r)
	p.show(w, http.StatusOK, studyPage, "arms", v.Table())
}
