package table_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"bestpick/internal/catalogue/cataloguetest"
	"bestpick/internal/table"
	"bestpick/internal/testsupport"
)

// rowsOf returns the rows of a sheet by their numbers.
func rowsOf(file, sheet string) (map[int][]string, error) {
	archive, err := table.OpenZIP(strings.NewReader(file), int64(len(file)))
	if err != nil {
		return nil, err
	}
	book, err := table.OpenWorkbook(archive, table.Limits{})
	if err != nil {
		return nil, err
	}
	if sheet == "" {
		surveys, err := book.Surveys("")
		if err != nil {
			return nil, err
		}
		sheet = surveys[0].Name
	}
	rows, err := book.SheetRows(table.Survey{Name: sheet})
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := map[int][]string{}
	for rows.Next() {
		if len(rows.Cells()) > 0 {
			all[rows.Number()] = append([]string{}, rows.Cells()...)
		}
	}
	return all, rows.Err()
}

func checkCells(t *testing.T, file, sheet string, want map[int][]string) {
	t.Helper()
	got, err := rowsOf(file, sheet)
	testsupport.NoError(t, err)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestCells covers every type of cell, as Excel and others write them.
func TestCells(t *testing.T) {
	checkCells(t, cataloguetest.RawWorkbook(t, `<sheetData>
		<row r="2"><c r="A2" t="s"><v>0</v></c><c r="C2" t="s"><v>1</v></c></row>
		<row r="4"><c r="A4" t="str"><f>A1&amp;"x"</f><v>of a formula</v></c><c r="B4"><f>1+1</f><v>2</v></c><c r="C4" t="b"><v>1</v></c><c r="D4" t="e"><v>#N/A</v></c><c r="E4" t="b"><v>0</v></c><c r="F4" s="1"/></row>
		<row><c t="inlineStr"><is><t>in </t><t>line</t></is></c><c><v>1.1000000000000001</v></c><c><v>1E-3</v></c><c><v>12345678901234567890</v></c></row>
		<row r="9"><c r="A9" s="1"><v>45000</v></c><c r="B9" s="2"><v>45000.75</v></c><c r="C9" s="3"><v>1.5</v></c><c r="D9" s="4"><v>1.5</v></c><c r="E9" s="5"><v>0.5</v></c><c r="F9" s="1"><v>59</v></c><c r="G9" s="1"><v>61</v></c><c r="AA9" t="d"><v>2024-05-06</v></c></row>
		<row r="10"><c r="A10" t="inlineStr"><is><t>two_x000D_
lines</t></is></c></row>
	</sheetData>`, nil), "", map[int][]string{
		2: {"shared", "", "rich text"},
		4: {"of a formula", "2", "true", "", "false"},
		5: {"in line", "1.1", "0.001", "12345678901234567000"},
		9: append([]string{"2023-03-15", "2023-03-15T18:00:00", "1.5", "1.5", "12:00:00", "1900-02-28", "1900-03-01"},
			append(make([]string, 19), "2024-05-06")...),
		10: {"two lines"},
	})
	checkCells(t, cataloguetest.RawWorkbook(t, `<sheetData><row><c s="1"><v>366</v></c></row></sheetData>`, map[string]string{
		"xl/workbook.xml": `<workbook><workbookPr date1904="true"/><sheets><sheet name="Data" id="r1"/></sheets></workbook>`,
	}), "Data", map[int][]string{1: {"1905-01-01"}})
}

// TestSheets: a hidden sheet is not the first, and can be chosen.
func TestSheets(t *testing.T) {
	file := excelize.NewFile()
	for _, name := range []string{"Shown", "Umsätze 2024"} {
		if _, err := file.NewSheet(name); err != nil {
			t.Fatal(err)
		}
		testsupport.NoError(t, file.SetCellValue(name, "B2", name))
	}
	file.SetActiveSheet(1)
	testsupport.NoError(t, file.SetSheetVisible("Sheet1", false))
	if err := file.SetCellValue("Sheet1", "A1", "hidden"); err != nil {
		t.Fatal(err)
	}
	saved := cataloguetest.SavedWorkbook(t, file)
	checkCells(t, saved, "", map[int][]string{2: {"", "Shown"}})
	checkCells(t, saved, "Umsätze 2024", map[int][]string{2: {"", "Umsätze 2024"}})
	checkCells(t, saved, "Sheet1", map[int][]string{1: {"hidden"}})
	if _, err := rowsOf(saved, "x"); err == nil ||
		err.Error() != `there is no sheet "x"; there are "Sheet1", "Shown", "Umsätze 2024"` {
		t.Error(err)
	}
}

// TestCellsOfALibrary: what another library writes is read as it was, and as that library reads it.
func TestCellsOfALibrary(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var rows [][]any
	for i := range 50 {
		rows = append(rows, []any{
			fmt.Sprintf("text <%d> & \"more\" ä %c", i, rune('α'+i)), random.NormFloat64(),
			random.Int64N(1 << 50), i%2 == 0, nil, float32(0.1), "",
		})
	}
	saved := cataloguetest.WorkbookFile(t, rows)
	library, err := excelize.OpenReader(strings.NewReader(saved))
	testsupport.NoError(t, err)
	asRead, err := library.GetRows("Sheet1", excelize.Options{RawCellValue: true})
	testsupport.NoError(t, err)
	want := map[int][]string{}
	for i, row := range asRead {
		row[3] = map[string]string{"1": "true", "0": "false", "TRUE": "true", "FALSE": "false"}[row[3]]
		want[i+1] = row[:6]
	}
	checkCells(t, saved, "", want)
}

// TestDatesOfALibrary: dates are ISO text, whatever their format.
func TestDatesOfALibrary(t *testing.T) {
	day := time.Date(2024, time.February, 29, 0, 0, 0, 0, time.UTC)
	saved := cataloguetest.WorkbookFile(t, [][]any{{day, day.Add(13*time.Hour + 5*time.Second)}})
	checkCells(t, saved, "", map[int][]string{1: {"2024-02-29", "2024-02-29T13:00:05"}})
}

// TestDamaged: a workbook that is cut off or malformed anywhere is an error, never a shorter sheet.
func TestDamagedWorkbooks(t *testing.T) {
	row := `<row r="1"><c r="A1"><v>1</v></c></row>`
	for _, c := range []struct{ sheet, want string }{
		{
			`<sheetData>` + row + `<row r="2"><c r="A2"><v>1</c></row></sheetData>`,
			"the workbook's XML is malformed: element <v> closed by </c>",
		},
		{`<sheetData>` + row, "the workbook's XML is malformed: element <sheetData> closed by </worksheet>"},
		{`<sheetData>` + row + row, "the workbook is damaged: row 2: the row is out of order or beyond row 1048576"},
		{`<sheetData><row r="1048577"/>`, "the workbook is damaged: row 1: the row is out of order or beyond row 1048576"},
		{`<sheetData><row r="x"/>`, "the workbook is damaged: row 1: the row is out of order or beyond row 1048576"},
		{
			`<sheetData><row><c r="B1"><v>1</v></c><c r="A1"><v>1</v></c>`,
			"the workbook is damaged: row 1: a cell is out of order or beyond column 16384",
		},
		{`<sheetData><row><c r="XFE1"/>`, "the workbook is damaged: row 1: a cell is out of order or beyond column 16384"},
		{`<sheetData><row><c r="1"/>`, "the workbook is damaged: row 1: a cell is out of order or beyond column 16384"},
		{`<sheetData><row><c t="s"><v>2</v></c>`, "the workbook is damaged: row 1: a cell refers to a text that is not there"},
		{`<sheetData><row><c t="s"><v>-1</v></c>`, "the workbook is damaged: row 1: a cell refers to a text that is not there"},
		{strings.Repeat("<a>", 100), "the workbook's XML is nested more than 64 levels deep"},
		{`<sheetData><row><c t="str"><v>&lol;</v></c>`, "the workbook's XML is malformed: invalid character entity &lol;"},
	} {
		if _, err := rowsOf(cataloguetest.RawWorkbook(t, c.sheet, nil), ""); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.sheet, err, c.want)
		}
	}
	for part, want := range map[string]string{
		"_rels/.rels":              `the workbook lacks its part "_rels/.rels"`,
		"xl/workbook.xml":          `the workbook lacks its part "xl/workbook.xml"`,
		"xl/worksheets/sheet1.xml": `the workbook lacks its part "xl/worksheets/sheet1.xml"`,
	} {
		if _, err := rowsOf(cataloguetest.RawWorkbook(t, "", map[string]string{part: ""}), ""); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", part, err, want)
		}
	}
	entities := `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]><sst><si><t>&b;</t></si></sst>`
	if _, err := rowsOf(cataloguetest.RawWorkbook(t, "", map[string]string{"xl/sharedStrings.xml": entities}), ""); err == nil ||
		!strings.Contains(err.Error(), "invalid character entity &b;") {
		t.Error(err)
	}
	whole := cataloguetest.RawWorkbook(t, `<sheetData>`+row+`</sheetData>`, nil)
	for cut := 0; cut < len(whole); cut += 13 {
		if _, err := rowsOf(whole[:cut], ""); err == nil {
			t.Errorf("the first %d bytes are read", cut)
		}
	}
}

// TestWrite: a written workbook has the same cells for the reader and for another program. Texts that look like
// formulas or markup stay texts.
func TestWriteWorkbook(t *testing.T) {
	rows := [][]any{
		{"id", "label", "share"},
		{1, "=1+1", 0.25},
		{2, nil, -1.5e-7},
		{-3, "a <b> & \"c\"", 1.0},
	}
	var file bytes.Buffer
	testsupport.NoError(t, table.WriteWorkbook(&file, slices.Values(rows)))
	want := map[int][]string{
		1: {"id", "label", "share"}, 2: {"1", "=1+1", "25%"}, 3: {"2", "", "-0.000015%"}, 4: {"-3", "a <b> & \"c\"", "100%"},
	}
	got, err := rowsOf(file.String(), "")
	testsupport.NoError(t, err)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	book, err := excelize.OpenReader(bytes.NewReader(file.Bytes()))
	testsupport.NoError(t, err)
	defer book.Close()
	text, err := book.GetCellValue("Results", "B2")
	formula, wrong := book.GetCellFormula("Results", "B2")
	if err != nil || wrong != nil || text != "=1+1" || formula != "" {
		t.Errorf("the text is %q, the formula %q, %v, %v", text, formula, err, wrong)
	}
	if share, err := book.GetCellValue("Results", "C2"); err != nil || share != "25.00%" {
		t.Errorf("the share is shown as %q, %v", share, err)
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
