package read_test

import (
	"strings"
	"testing"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/cataloguetest"
	"bestpick/internal/catalogue/read"
)

// TestLinesOfAWorkbook: problems are in rows of the sheet, blank rows counted.
func TestLinesOfAWorkbook(t *testing.T) {
	file := cataloguetest.WorkbookFile(t, [][]any{nil, {"id", "price", "note\nin two lines"}, {"a", 1, "x"}, nil, {"b", 2, "y"}, {"b", "z", "quoted \"q\", comma"}, {"c", 4, nil, "beyond"}})
	refused(t, "a.xlsx", file, catalogue.Options{},
		`a.xlsx:6: column "price": 1 of 3 values is not a number: "z"; correct it, or --as price=category`,
		`a.xlsx:6: column "id": "b" is the id in line 5 already`,
		"a.xlsx:7: the row has 4 fields, the header has 3")
}

// TestSheetIsChosen: by name, and only in a workbook.
func TestSheetIsChosen(t *testing.T) {
	file := cataloguetest.WorkbookFile(t, [][]any{{"id", "price"}, {"a", 1}, {"b", 2}})
	if _, err := read.Table(strings.NewReader(file), "a.xlsx", catalogue.Options{Sheet: "Sheet1"}); err != nil {
		t.Error(err)
	}
	refused(t, "a.xlsx", file, catalogue.Options{Sheet: "sheet1"}, `a.xlsx: there is no sheet "sheet1"; there are "Sheet1"`)
	refused(t, "a.csv", "id,price\na,1\n", catalogue.Options{Sheet: "Sheet1"}, "a.csv: the file has no sheets; only .xlsx files do")
	refused(t, "a.xlsx", cataloguetest.WorkbookFile(t, nil), catalogue.Options{}, "a.xlsx: the file is empty")
}
