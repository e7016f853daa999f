package cataloguetest

import (
	"archive/zip"
	"bytes"
	"io"
	"maps"
	"testing"

	"github.com/xuri/excelize/v2"
)

// WorkbookFile returns an Excel workbook with the rows in its first sheet, written by a library.
func WorkbookFile(t testing.TB, rows [][]any) string {
	t.Helper()
	file := excelize.NewFile()
	for i, row := range rows {
		cell, err := excelize.CoordinatesToCellName(1, i+1)
		if err != nil {
			t.Fatal(err)
		}
		if err := file.SetSheetRow("Sheet1", cell, &row); err != nil {
			t.Fatal(err)
		}
	}
	return SavedWorkbook(t, file)
}

// SavedWorkbook returns a workbook as its file.
func SavedWorkbook(t testing.TB, file *excelize.File) string {
	t.Helper()
	b, err := file.WriteToBuffer()
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// RawWorkbook returns a workbook whose only sheet has the given XML within its worksheet element. Other
// parts replace or add to the parts that a workbook needs.
func RawWorkbook(t testing.TB, sheet string, parts map[string]string) string {
	t.Helper()
	const (
		relations = `<Relationships><Relationship Id="r1" Type="x/worksheet" Target="worksheets/sheet1.xml"/>` +
			`<Relationship Id="r2" Type="x/sharedStrings" Target="/xl/sharedStrings.xml"/><Relationship Id="r3" Type="x/styles" Target="styles.xml"/></Relationships>`
		formats = `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="dd\.mm\.yyyy"/><numFmt numFmtId="165" formatCode="0.00&quot; days&quot;"/><numFmt numFmtId="166" formatCode="[h]:mm"/></numFmts>` +
			`<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="166"/><xf numFmtId="21"/></cellXfs></styleSheet>`
	)
	all := map[string]string{
		"[Content_Types].xml":        `<Types/>`,
		"_rels/.rels":                `<Relationships><Relationship Id="m" Type="x/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		"xl/workbook.xml":            `<workbook><sheets><sheet name="Data" sheetId="1" id="r1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": relations,
		"xl/sharedStrings.xml":       `<sst><si><t>shared</t></si><si><r><t xml:space="preserve">rich </t></r><r><t>text</t></r><rPh sb="0" eb="1"><t>spoken</t></rPh></si></sst>`,
		"xl/styles.xml":              formats,
		"xl/worksheets/sheet1.xml":   `<worksheet>` + sheet + `</worksheet>`,
	}
	maps.Copy(all, parts)
	return ZIP(t, all)
}

// ZIP returns an archive of files.
func ZIP(t testing.TB, files map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, text := range files {
		if text == "" {
			continue
		}
		part, err := w.Create(name)
		if err == nil {
			_, err = io.WriteString(part, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
