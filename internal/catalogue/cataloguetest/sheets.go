package cataloguetest

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"strconv"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// A Sheet is a table as people keep it: without ids, and without a column called label.
type Sheet struct {
	Columns []string
	Rows    [][]string // numbers with a decimal point
}

// pixel is a picture in place, so that no test loads one.
const pixel = "data:image/gif;base64,R0lGODdhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs="

// Headlines returns a sheet of 24 headlines with their attributes. Its texts have letters and quotation
// marks that Windows-1252 has outside ASCII, and the usual delimiters.
func Headlines() Sheet {
	s := Sheet{Columns: []string{"headline", "tone", "length", "topic", "price", "image"}}
	for i := range 24 {
		s.Rows = append(s.Rows, []string{
			Headline(i), []string{"spielerisch", "nüchtern", "höflich"}[i%3], strconv.Itoa(20 + (i*i)%17),
			[]string{"Miete", "Sparen", "Häuser", "Anlage"}[(i/2)%4],
			fmt.Sprintf("%d.%d9", 1+i%7, i%10), pixel,
		})
	}
	return s
}

// Headline returns the text in a row of [Headlines].
func Headline(row int) string {
	return fmt.Sprintf("„Größe“ %d, für Café-Gäste; 5 € mehr", row+1)
}

// Only returns the sheet with its first columns only.
func (s Sheet) Only(columns int) Sheet {
	first := Sheet{Columns: s.Columns[:columns]}
	for _, row := range s.Rows {
		first.Rows = append(first.Rows, row[:columns])
	}
	return first
}

// isNumber reports whether a column has numbers.
func (s Sheet) isNumber(column int) bool {
	_, err := strconv.ParseFloat(s.Rows[0][column], 64)
	return err == nil
}

// Text returns the sheet as delimited text, with a mark for decimals.
func (s Sheet) Text(delimiter, mark, lineEnd string) string {
	var text strings.Builder
	text.WriteString(strings.Join(s.Columns, delimiter) + lineEnd)
	for _, row := range s.Rows {
		fields := make([]string, len(row))
		for k, field := range row {
			if s.isNumber(k) {
				field = strings.Replace(field, ".", mark, 1)
			}
			if strings.Contains(field, delimiter) {
				field = `"` + field + `"`
			}
			fields[k] = field
		}
		text.WriteString(strings.Join(fields, delimiter) + lineEnd)
	}
	return text.String()
}

// German returns the sheet as a German Excel saves it as CSV: semicolons, decimal commas, Windows-1252.
func (s Sheet) German(t testing.TB) string {
	t.Helper()
	return encoded(t, charmap.Windows1252, s.Text(";", ",", "\r\n"))
}

// UTF16 returns the sheet as Excel saves it as Unicode text.
func (s Sheet) UTF16(t testing.TB) string {
	t.Helper()
	return encoded(t, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), s.Text("\t", ",", "\r\n"))
}

func encoded(t testing.TB, e encoding.Encoding, text string) string {
	t.Helper()
	result, err := e.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// JSON returns the sheet as a list of objects.
func (s Sheet) JSON(t testing.TB) string {
	t.Helper()
	var objects []string
	for _, row := range s.Rows {
		var members []string
		for k, field := range row {
			value := []byte(field)
			if !s.isNumber(k) {
				var err error
				if value, err = json.Marshal(field); err != nil {
					t.Fatal(err)
				}
			}
			members = append(members, fmt.Sprintf("%q: %s", s.Columns[k], value))
		}
		objects = append(objects, "{"+strings.Join(members, ", ")+"}")
	}
	return "[\n" + strings.Join(objects, ",\n") + "\n]"
}

// Workbook returns the sheet as an Excel workbook.
func (s Sheet) Workbook(t testing.TB) string {
	t.Helper()
	cells := [][]any{nil}
	for _, name := range s.Columns {
		cells[0] = append(cells[0], name)
	}
	for _, row := range s.Rows {
		var values []any
		for k, field := range row {
			if x, err := strconv.ParseFloat(field, 64); err == nil && s.isNumber(k) {
				values = append(values, x)
				continue
			}
			values = append(values, field)
		}
		cells = append(cells, values)
	}
	return WorkbookFile(t, cells)
}

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
