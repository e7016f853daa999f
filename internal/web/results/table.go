package results

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"bestpick/internal/access"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/study"
	"bestpick/internal/web/page"
)

// matches reports whether a visible text of an arm contains a lower-case text.
func matches(card archive.Card, wanted string) bool {
	has := func(text string) bool { return strings.Contains(strings.ToLower(text), wanted) }
	return has(card.ID) || has(card.Label) || has(card.Description) ||
		slices.ContainsFunc(card.Attributes, func(a archive.AttributeValue) bool { return has(a.Value) })
}

// tablePage is the number of arms per page of the table.
const tablePage = 25

func tableColumns() []string {
	return []string{byName, byShare, byShown, byPicked}
}

// maxSearch is the maximum length of a search text in bytes.
const maxSearch = 200

func readTableQuery(r *http.Request) tableQuery {
	q := tableQuery{Search: strings.TrimSpace(r.FormValue("q")), Sort: byShare, Page: 1}
	if len(q.Search) > maxSearch || !study.IsText(q.Search) {
		q.Search = ""
	}
	if sort := r.FormValue("sort"); slices.Contains(tableColumns(), sort) {
		q.Sort = sort
	}
	q.Reverse = r.FormValue("order") == "reverse"
	if number, err := strconv.Atoi(r.FormValue("page")); err == nil {
		q.Page = max(1, number)
	}
	return q
}

// An armsTable is a page of the table.
type armsTable struct {
	tableQuery
	View

	Columns []tableColumn
	Rows    []armRow
	Found   int
	Pages   int
}

// A tableColumn is a column by which the table can be sorted.
type tableColumn struct {
	Name, Title, Address string
	Order                string // ascending, descending or none, for aria-sort
}

// Table returns a page of the table.
func (v View) Table(q tableQuery) armsTable {
	t := armsTable{tableQuery: q, View: v}
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
		address := t.at(name, t.Sort == name && !t.Reverse, 1)
		column := tableColumn{Name: name, Title: v.Must("column." + name), Address: address, Order: "none"}
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

// descends reports whether the default order of a column is descending.
func descends(column string) bool { return column != byName }

// at returns the address of a page of the table.
func (t armsTable) at(sort string, reverse bool, number int) string {
	order, shown := "", ""
	if sort == byShare {
		sort = ""
	}
	if reverse {
		order = "reverse"
	}
	if number > 1 {
		shown = strconv.Itoa(number)
	}
	return page.StudyAddress(t.Study.ID, "", "q", t.Search, "sort", sort, "order", order, "page", shown, "lang", t.Chosen) + "#arms"
}

// Before returns the address of the previous page.
func (t armsTable) Before() string { return t.at(t.Sort, t.Reverse, t.Page-1) }

// After returns the address of the next page.
func (t armsTable) After() string { return t.at(t.Sort, t.Reverse, t.Page+1) }

// armsPart returns the table as a fragment, for JavaScript.
func (p *Pages) armsPart(w http.ResponseWriter, r *http.Request, who access.Token) error {
	v, err := p.fullView(r.Context(), r, who)
	if err != nil {
		return err
	}
	return p.Show(w, http.StatusOK, studyPage, "arms", v.Table(readTableQuery(r)))
}
