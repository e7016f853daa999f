package read_test

import (
	"bytes"
	"image"
	"image/png"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/cataloguetest"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/table"
	"bestpick/internal/testsupport"
)

// peoplesBook returns a workbook that a function fills, with cells of its first sheet.
func peoplesBook(t *testing.T, rows [][]any, change func(file *excelize.File)) string {
	t.Helper()
	file := excelize.NewFile()
	put(t, file, "Sheet1", rows)
	if change != nil {
		change(file)
	}
	return cataloguetest.SavedWorkbook(t, file)
}

func put(t *testing.T, file *excelize.File, sheet string, rows [][]any) {
	t.Helper()
	for i, row := range rows {
		cell, err := excelize.CoordinatesToCellName(1, i+1)
		testsupport.NoError(t, err)
		testsupport.NoError(t, file.SetSheetRow(sheet, cell, &row))
	}
}

// described returns the columns of a table with their values, one a line, and its notes by code.
func described(table *catalogue.Table) (text, notes string) {
	var lines, codes []string
	for i := range table.Columns {
		c := &table.Columns[i]
		lines = append(lines, c.Name+": "+strings.Join(c.AsWritten(), " | "))
	}
	for _, n := range table.Notes {
		codes = append(codes, n.Code)
	}
	return strings.Join(lines, "\n"), strings.Join(codes, " ")
}

// TestPeoplesWorkbooks: workbooks as people make them are read right, or what was decided is noted.
func TestPeoplesWorkbooks(t *testing.T) {
	lamps := [][]any{{"Name", "Colour", "Price"}, {"Orb", "red", 10}, {"Fold", "blue", 12}, {"Arc", "red", 15}}
	plain := "Name: Orb | Fold | Arc\nColour: red | blue | red\nPrice: 10 | 12 | 15"
	style := func(f *excelize.File, format string) int {
		id, err := f.NewStyle(&excelize.Style{CustomNumFmt: &format})
		testsupport.NoError(t, err)
		return id
	}
	var pixel bytes.Buffer
	testsupport.NoError(t, png.Encode(&pixel, image.NewGray(image.Rect(0, 0, 4, 4))))
	for _, c := range []struct {
		name        string
		rows        [][]any
		change      func(f *excelize.File)
		options     catalogue.Options
		want, notes string
		problem     string
	}{
		{
			name: "title rows", want: plain, notes: "heading",
			rows: append([][]any{{"Lamps for 2027"}, {"Prepared by:", "Anna"}, {}}, lamps...),
			change: func(f *excelize.File) {
				testsupport.NoError(t, f.MergeCell("Sheet1", "A1", "C1"))
			},
		},
		{
			name: "merged cells", notes: "",
			rows: [][]any{
				{"Series", "Name", "Size", nil},
				{nil, nil, "Width", "Height"},
				{"Home", "Orb", 1, 2},
				{nil, "Fold", 3, 4},
				{"Office", "Arc", 5, 7},
			},
			change: func(f *excelize.File) {
				for _, m := range [][2]string{{"A1", "A2"}, {"B1", "B2"}, {"C1", "D1"}, {"A3", "A4"}} {
					testsupport.NoError(t, f.MergeCell("Sheet1", m[0], m[1]))
				}
			},
			want: "Series: Home | Home | Office\nName: Orb | Fold | Arc\nSize Width: 1 | 3 | 5\nSize Height: 2 | 4 | 7",
		},
		{
			name: "cover sheet", want: plain, notes: "sheets", rows: [][]any{{"Cover sheet"}, {"confidential"}},
			change: func(f *excelize.File) {
				_, err := f.NewSheet("Data")
				testsupport.NoError(t, err)
				put(t, f, "Data", lamps)
			},
		},
		{
			name: "several sheets, one chosen", want: plain, options: catalogue.Options{Sheet: "Old"},
			rows: append(lamps, []any{"More", "red", 1}),
			change: func(f *excelize.File) {
				_, err := f.NewSheet("Old")
				testsupport.NoError(t, err)
				put(t, f, "Old", lamps)
			},
		},
		{
			name: "dates and a heading that is chosen", options: catalogue.Options{Heading: 2},
			rows: [][]any{
				{"a", "b"},
				{"Name", "Since"},
				{"Orb", time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)},
				{"Fold", time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC)},
			},
			want: "Name: Orb | Fold\nSince: 2026-03-01 | 2026-04-01",
		},
		{
			name: "currencies and percents",
			rows: [][]any{{"Name", "Price", "Fee", "Off"}, {"Orb", 10, 1.5, 0.15}, {"Fold", 12.5, -2, 0.2}, {"Arc", 1200, 3, 0.055}},
			change: func(f *excelize.File) {
				for column, format := range map[string]string{"B": `"€"#,##0.00`, "C": `#,##0.00 [$CHF-807]`, "D": "0.0%"} {
					testsupport.NoError(t, f.SetCellStyle("Sheet1", column+"2", column+"4", style(f, format)))
				}
			},
			want: "Name: Orb | Fold | Arc\nPrice: €10.00 | €12.50 | €1200.00\nFee: 1.50 CHF | -2.00 CHF | 3.00 CHF\nOff: 15% | 20% | 5.5%",
		},
		{
			name: "formulas that were never computed", rows: [][]any{{"Name", "Price"}, {"Orb", nil}, {"Fold", 3}},
			change:  func(f *excelize.File) { testsupport.NoError(t, f.SetCellFormula("Sheet1", "B2", "=2*5")) },
			problem: "the values of 1 formulas are not in the file; open it in Excel, save it, and try again",
		},
		{
			name: "empty columns and rows", want: plain,
			rows: [][]any{
				{},
				{nil, "Name", nil, "Colour", "Price"},
				{},
				{nil, "Orb", nil, "red", 10},
				{nil, "Fold", nil, "blue", 12},
				{},
				{nil, "Arc", nil, "red", 15},
			},
		},
		{
			name: "pictures in cells", rows: lamps, want: plain, notes: "pictures",
			change: func(f *excelize.File) {
				testsupport.NoError(t, f.AddPictureFromBytes("Sheet1", "D2",
					&excelize.Picture{Extension: ".png", File: pixel.Bytes(), Format: &excelize.GraphicOptions{}}))
			},
		},
		{
			name: "numbers beside texts with decimal commas", notes: "",
			rows: [][]any{{"Name", "Price"}, {"Orb", "12,50 €"}, {"Fold", 14.125}, {"Arc", "1.200,00 €"}, {"Bow", 0.5}},
			want: "Name: Orb | Fold | Arc | Bow\nPrice: 12,50 € | 14,125 | 1.200,00 € | 0,5",
		},
		{
			name: "hidden rows and columns", want: plain, notes: "hidden",
			rows: [][]any{
				{"Name", "Colour", "Price", "Cost"}, {"Orb", "red", 10, 4}, {"Fold", "blue", 12, 5}, {"Bow", "red", 9, 5}, {"Arc", "red", 15, 6},
			},
			change: func(f *excelize.File) {
				testsupport.NoError(t, f.SetColVisible("Sheet1", "D:F", false))
				testsupport.NoError(t, f.SetRowVisible("Sheet1", 4, false))
			},
		},
		{
			name: "hidden columns between others", want: plain, notes: "hidden",
			rows: [][]any{
				{"Name", "Code", "Colour", "Stock", "Price", "Cost"},
				{"Orb", "a", "red", 1, 10, 4},
				{"Fold", "b", "blue", 2, 12, 5},
				{"Arc", "c", "red", 3, 15, 6},
			},
			change: func(f *excelize.File) {
				for _, column := range []string{"F", "B", "D"} {
					testsupport.NoError(t, f.SetColVisible("Sheet1", column, false))
				}
			},
		},
		{
			name: "years as headings", want: "Name: Orb | Fold | Arc\n2023: red | blue | red\n2024: green | red | blue", notes: "unused",
			rows: [][]any{{"Name", 2023, 2024}, {"Orb", "red", "green"}, {"Fold", "blue", "red"}, {"Arc", "red", "blue"}},
		},
		{
			name: "row names without a heading", want: "column 1: Orb | Fold | Arc\nColour: red | blue | red\nMaterial: glass | wood | wood",
			rows: [][]any{{nil, "Colour", "Material"}, {"Orb", "red", "glass"}, {"Fold", "blue", "wood"}, {"Arc", "red", "wood"}},
		},
		{
			name: "a sum of two columns", want: "Name: Orb | Fold | Arc\nPrice: 1 | 2 | 3", notes: "aside",
			rows: [][]any{{"Name", "Price"}, {"Orb", 1}, {"Fold", 2}, {"Arc", 3}, {"Total", 6}},
		},
		{
			name: "sections, a sum and a remark", want: plain, notes: "aside",
			rows: [][]any{
				lamps[0],
				{"For the home"},
				lamps[1], lamps[2],
				{"For the office"},
				lamps[3],
				{"Total", nil, 37},
				{},
				{"* without VAT"},
			},
		},
		{
			name: "more values than headings", rows: append(lamps, []any{"Bow", "red", 3, "check this"}),
			problem: "the row has 4 fields, the header has 3",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := peoplesBook(t, c.rows, c.change)
			got, err := read.Workbook(strings.NewReader(file), int64(len(file)), "a.xlsx", c.options)
			if c.problem != "" {
				if err == nil || !strings.Contains(err.Error(), c.problem) {
					t.Fatalf("%v, want %s", err, c.problem)
				}
				return
			}
			testsupport.NoError(t, err)
			if text, notes := described(got); text != c.want || notes != c.notes {
				t.Errorf("got\n%s\n%s\nwant\n%s\n%s", text, notes, c.want, c.notes)
			}
		})
	}
}

// TestLayout: the menus of a form have the sheets, the fullest first, and the first rows.
func TestLayout(t *testing.T) {
	file := peoplesBook(t, [][]any{{"Cover"}}, func(f *excelize.File) {
		for _, sheet := range []string{"Data", "Hidden"} {
			_, err := f.NewSheet(sheet)
			testsupport.NoError(t, err)
			put(t, f, sheet, [][]any{{"Lamps"}, {"Name", "Price"}, {"Orb", 3}})
		}
		testsupport.NoError(t, f.SetSheetVisible("Hidden", false))
	})
	upload := read.Upload{Name: "a.xlsx", Contents: strings.NewReader(file), Size: int64(len(file))}
	got, err := upload.Layout(catalogue.Options{})
	testsupport.NoError(t, err)
	if strings.Join(got.Sheets, ",") != "Data,Sheet1" || got.Sheet != "Data" || got.Heading != 2 || len(got.Rows) != 3 {
		t.Errorf("%+v", got)
	}
	if none, err := (read.Upload{
		Name: "a.csv", Contents: strings.NewReader("a,b"),
		Size: 3,
	}).Layout(catalogue.Options{}); none != nil || err != nil {
		t.Error(none, err)
	}
}

// TestFirstLines: the first line of a list is an option unless it is a usual name, or short and unlike the others.
func TestFirstLines(t *testing.T) {
	for text, headed := range map[string]bool{
		"5 habits that quietly drain your budget\nThe Rent Trap\nWhy Savings Fail\n": false,
		"7 tips to sleep better\nCalm Nights\nDeep Rest\n":                           false,
		"a quiet place to rest\nCalm Nights\nDeep Rest\n":                            false,
		"Why us?\nCalm Nights\nDeep Rest\n":                                          false,
		"Headlines\nCalm Nights\nDeep Rest\n":                                        true,
		"name\nCalm Nights\nDeep Rest\n":                                             true,
		"Orb\nFold\nArc\n":                                                           false,
	} {
		got, err := read.Table(strings.NewReader(text), "pasted", catalogue.Options{})
		testsupport.NoError(t, err)
		if got.Headed != headed || !got.List || (got.Len() == 2) != headed {
			t.Errorf("%q: %+v", text, got)
		}
		for heading, rows := range map[int]int{1: 2, catalogue.NoHeading: 3} {
			got, err := read.Table(strings.NewReader(text), "pasted", catalogue.Options{Heading: heading})
			testsupport.NoError(t, err)
			if got.Len() != rows || len(got.Notes) > 1 {
				t.Errorf("%q, %d: %+v", text, heading, got)
			}
		}
	}
}

// TestNoTables: other files that people drop are named.
func TestNoTables(t *testing.T) {
	for content, want := range map[string]string{
		"%PDF-1.7\n%":          "the file is a PDF document; save its table as .xlsx or CSV",
		"\x89PNG\r\n\x1a\n":    "the file is a picture; add pictures beside a table that names them",
		"<!DOCTYPE html><p>hi": "the file is a web page; copy its table and paste it",
		cataloguetest.ZIP(t, map[string]string{"word/document.xml": "<x/>", "[Content_Types].xml": "<x/>"}): "this is a Word or PowerPoint file; copy its table and paste it",
	} {
		_, err := read.Table(strings.NewReader(content), "a", catalogue.Options{Limits: table.ArmsLimits(1 << 20)})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.10q: %v", content, err)
		}
	}
}
