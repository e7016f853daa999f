package table

import (
	"archive/zip"
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"iter"
	"strconv"
)

// The parts of a workbook with one sheet, besides the sheet.
const (
	typesPart = xml.Header + `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
		`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
		`<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>` +
		`<Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>` +
		`<Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/></Types>`
	relationsPart = xml.Header + `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
		`<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>`
	bookPart = xml.Header + `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">` +
		`<sheets><sheet name="Results" sheetId="1" r:id="rId1"/></sheets></workbook>`
	bookRelationsPart = xml.Header + `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
		`<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/>` +
		`<Relationship Id="rId2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>`
	stylesPart = xml.Header + `<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><fonts count="1"><font/></fonts>` +
		`<fills count="1"><fill/></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>` +
		`<cellXfs count="2"><xf/><xf numFmtId="10" applyNumberFormat="1"/></cellXfs></styleSheet>`
)

// WriteWorkbook writes a workbook with one sheet. Cells are strings, ints and float64s, which are shares and shown in
// percent; nil is an empty cell. Spreadsheets show strings as they are, and never execute them as formulas.
func WriteWorkbook(w io.Writer, rows iter.Seq[[]any]) error {
	book := zip.NewWriter(w)
	for _, part := range []struct{ name, text string }{
		{contentTypes, typesPart},
		{"_rels/.rels", relationsPart},
		{"xl/workbook.xml", bookPart},
		{"xl/_rels/workbook.xml.rels", bookRelationsPart},
		{"xl/styles.xml", stylesPart},
	} {
		out, err := book.Create(part.name)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(out, part.text); err != nil {
			return err
		}
	}
	out, err := book.Create("xl/worksheets/sheet1.xml")
	if err != nil {
		return err
	}
	if err := writeSheet(out, rows); err != nil {
		return err
	}
	return book.Close()
}

func writeSheet(w io.Writer, rows iter.Seq[[]any]) error {
	out := bufio.NewWriter(w) // keeps the first error until Flush
	_, _ = out.WriteString(xml.Header + `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>`)
	for row := range rows {
		_, _ = out.WriteString("<row>")
		for _, cell := range row {
			if err := writeCell(out, cell); err != nil {
				return err
			}
		}
		_, _ = out.WriteString("</row>")
	}
	_, _ = out.WriteString("</sheetData></worksheet>")
	return out.Flush()
}

func writeCell(out *bufio.Writer, cell any) error {
	switch value := cell.(type) {
	case nil:
		_, _ = out.WriteString("<c/>")
	case string:
		_, _ = out.WriteString(`<c t="inlineStr"><is><t xml:space="preserve">`)
		if err := xml.EscapeText(out, []byte(value)); err != nil {
			return err
		}
		_, _ = out.WriteString("</t></is></c>")
	case int:
		_, _ = fmt.Fprintf(out, "<c><v>%d</v></c>", value)
	case float64:
		_, _ = fmt.Fprintf(out, `<c s="1"><v>%s</v></c>`, strconv.FormatFloat(value, 'g', -1, 64))
	default:
		panic(fmt.Sprintf("table: a cell cannot be a %T", cell))
	}
	return nil
}
