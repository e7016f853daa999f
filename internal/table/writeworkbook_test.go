package table_test

import (
	"bytes"
	"slices"
	"testing"

	"bestpick/internal/table"
	"bestpick/internal/testsupport"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
)

// TestWrite: a written workbook has the same cells for the reader and for another program. Texts that look like
// formulas or markup stay texts.
func TestWriteWorkbook(t *testing.T) {
	rows := [][]any{
		{"id", "label", "share"},
		{1, "=1+1", 0.25},
		{2, nil, -1.5e-7},
		{-3, "a <b> & \"c\"", 1e20},
	}
	var file bytes.Buffer
	testsupport.NoError(t, table.WriteWorkbook(&file, slices.Values(rows)))
	want := map[int][]string{
		1: {"id", "label", "share"}, 2: {"1", "=1+1", "0.25"}, 3: {"2", "", "-1.5e-07"}, 4: {"-3", "a <b> & \"c\"", "100000000000000000000"},
	}
	got, err := rowsOf(file.String(), "")
	testsupport.NoError(t, err)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	book, err := excelize.OpenReader(bytes.NewReader(file.Bytes()))
	testsupport.NoError(t, err)
	defer book.Close()
	text, err := book.GetCellValue("Sheet1", "B2")
	formula, wrong := book.GetCellFormula("Sheet1", "B2")
	if err != nil || wrong != nil || text != "=1+1" || formula != "" {
		t.Errorf("the text is %q, the formula %q, %v, %v", text, formula, err, wrong)
	}
}

// FuzzWriteWorkbook: the reader reads every valid text back in as many cells.
func FuzzWriteWorkbook(f *testing.F) {
	f.Add("Orb")
	f.Add(" =1+1\n")
	f.Add("_x000D_")
	f.Fuzz(func(t *testing.T, text string) {
		var file bytes.Buffer
		testsupport.NoError(t, table.WriteWorkbook(&file, slices.Values([][]any{{"head"}, {text, 1}})))
		if rows, err := rowsOf(file.String(), ""); err != nil || len(rows) != 2 || len(rows[2]) != 2 || rows[2][1] != "1" {
			t.Errorf("%q: %v, %v", text, rows, err)
		}
	})
}
