package table

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Book is an opened workbook. Not safe for concurrent use.
type Book struct {
	archive *zip.Reader
	limits  Limits
	sheets  []sheet
	parts   map[string]string // names in the archive by id of the relationship

	texts     sharedTexts
	styles    []numberStyle // of cells
	epoch1904 bool          // days count from 1904
}

type sheet struct {
	name, id string
	hidden   bool
}

// IsWorkbook reports whether an archive is a workbook, or another file of an office program.
func IsWorkbook(archive *zip.Reader) bool { return FindEntry(archive, contentTypes) != nil }

const contentTypes = "[Content_Types].xml"

// Limits of the parts of a workbook that are held in memory.
const (
	maxPartBytes = 8 << 20  // styles, and the list of sheets
	maxTextBytes = 64 << 20 // shared texts, where there are limits
)

// OpenWorkbook reads the sheets, styles and shared texts of a workbook. The limits apply to the text of the
// workbook and of its sheets.
func OpenWorkbook(archive *zip.Reader, limits Limits) (*Book, error) {
	b := &Book{archive: archive, limits: limits, parts: map[string]string{}}
	if problem := limits.BytesProblem(xmlBytes(archive)); problem.Exists() {
		return nil, problem
	}
	main, err := b.mainPart()
	if err != nil {
		return nil, err
	}
	kinds := map[string]string{} // parts by the last word of their type
	err = b.relations(main, func(id, kind, target string) {
		b.parts[id] = target
		kinds[kind] = target
	})
	if err != nil {
		return nil, err
	}
	if err := b.each(main, maxPartBytes, b.readWorkbook); err != nil {
		return nil, err
	}
	if name, has := kinds["styles"]; has {
		if err := b.readStyles(name); err != nil {
			return nil, err
		}
	}
	if name, has := kinds["sharedStrings"]; has {
		if err := b.readTexts(name); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// xmlBytes returns the size of all XML in an archive.
func xmlBytes(archive *zip.Reader) int64 {
	size := int64(0)
	for _, file := range archive.File {
		if strings.HasSuffix(file.Name, ".xml") {
			size += int64(min(file.UncompressedSize64, 1<<40))
		}
	}
	return size
}

// mainPart returns the name of the part that lists the sheets.
func (b *Book) mainPart() (string, error) {
	name := ""
	err := b.relations("", func(_, kind, target string) {
		if kind == "officeDocument" {
			name = target
		}
	})
	if err == nil && name == "" {
		err = errors.New("the file is not an Excel workbook")
	}
	return name, err
}

// relations calls f for each part that another refers to, with the id, the last word of the type and the name of the part.
func (b *Book) relations(part string, f func(id, kind, target string)) error {
	folder, name := path.Split(part)
	return b.each(folder+"_rels/"+name+".rels", maxPartBytes, func(e element) error {
		if !e.start || e.name != "Relationship" {
			return nil
		}
		target := e.attribute("Target")
		if !path.IsAbs(target) {
			target = path.Join(folder, target)
		}
		f(e.attribute("Id"), path.Base(e.attribute("Type")), strings.TrimPrefix(target, "/"))
		return nil
	})
}

// readWorkbook reads an element of the list of sheets.
func (b *Book) readWorkbook(e element) error {
	switch {
	case !e.start:
	case e.name == "workbookPr":
		b.epoch1904 = isTrue(e.attribute("date1904"))
	case e.name == "sheet":
		b.sheets = append(b.sheets, sheet{
			e.attribute("name"), e.attribute("id"),
			strings.Contains(strings.ToLower(e.attribute("state")), "hidden"),
		})
	}
	return nil
}

func isTrue(text string) bool { return text == "1" || text == trueText }

// Sheets returns the names of the sheets in their order.
func (b *Book) Sheets() []string {
	var names []string
	for _, s := range b.sheets {
		names = append(names, s.name)
	}
	return names
}

// SheetRows returns the rows of the sheet that a survey names. The caller must close them.
func (b *Book) SheetRows(of Survey) (*SheetRows, error) {
	at := slices.IndexFunc(b.sheets, func(s sheet) bool { return s.name == of.Name })
	if at < 0 {
		return nil, fmt.Errorf("there is no sheet %q; there are %s", of.Name, quotedNames(b.Sheets()))
	}
	content, err := b.open(b.parts[b.sheets[at].id], 0)
	if err != nil {
		return nil, err
	}
	return &SheetRows{book: b, surveyed: of, content: content, xml: newXMLParser(content, b.limits)}, nil
}

// quoted lists the first names.
func quotedNames(names []string) string {
	const most = 10
	var list []string
	for _, name := range names[:min(most, len(names))] {
		list = append(list, fmt.Sprintf("%q", name))
	}
	return strings.Join(list, ", ")
}

// open opens a part of the workbook.
func (b *Book) open(name string, most int64) (io.ReadCloser, error) {
	file := FindEntry(b.archive, name)
	if file == nil {
		return nil, fmt.Errorf("the workbook lacks its part %q", name)
	}
	return OpenEntry(file, most)
}

// each calls f for every element of a part.
func (b *Book) each(name string, most int64, f func(element) error) error {
	content, err := b.open(name, most)
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }() // it was only read
	p := newXMLParser(content, b.limits)
	for {
		e, err := p.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := f(e); err != nil {
			return err
		}
	}
}

// readStyles reads how styles show numbers.
func (b *Book) readStyles(name string) error {
	formats := map[string]numberStyle{}
	inCells := false
	return b.each(name, maxPartBytes, func(e element) error {
		switch {
		case e.name == "cellXfs":
			inCells = e.start
		case !e.start:
		case e.name == "numFmt":
			formats[e.attribute("numFmtId")] = styleOf(e.attribute("formatCode"))
		case e.name == "xf" && inCells:
			id := e.attribute("numFmtId")
			own, has := formats[id]
			if !has {
				own = numberStyle{date: isBuiltInDate(id), percent: id == "9" || id == "10"}
			}
			b.styles = append(b.styles, own)
		}
		return nil
	})
}

// isBuiltInDate reports whether a format that needs no definition is one of dates or times: 14 to 22 and 45
// to 47 everywhere, 27 to 36 and 50 to 58 in East Asian editions.
func isBuiltInDate(id string) bool {
	n, err := strconv.Atoi(id)
	return err == nil && (n >= 14 && n <= 22 || n >= 27 && n <= 36 || n >= 45 && n <= 47 || n >= 50 && n <= 58)
}

// isDateFormat reports whether a format has letters of dates or times outside of quotes, brackets and
// escapes. Elapsed hours ([h]:mm) are a number of days.
func isDateFormat(code string) bool {
	first, _, _ := strings.Cut(strings.ToLower(code), ";") // of positive numbers
	if strings.Contains(first, "[h") || strings.Contains(first, "[m") || strings.Contains(first, "[s") {
		return false
	}
	end := byte(0) // of what is skipped
	for i := 0; i < len(first); i++ {
		c := first[i]
		switch {
		case end != 0:
			if c == end {
				end = 0
			}
		case c == '"':
			end = '"'
		case c == '[':
			end = ']'
		case c == '\\' || c == '_' || c == '*':
			i++
		case strings.HasPrefix(first[i:], "general"):
			return false
		case strings.IndexByte("dmyhs", c) >= 0:
			return true
		}
	}
	return false
}

// date returns a number of days as text: a date, a time of day, or both.
func (b *Book) date(text string) string {
	const (
		secondsPerDay = 24 * 60 * 60
		leapDay       = 60        // 29 February 1900, which Excel counts though it never was
		maxDays       = 2_958_466 // from 1900 to the end of 9999
	)
	days, err := strconv.ParseFloat(text, 64)
	if err != nil || !(days >= 0 && days < maxDays) {
		return text
	}
	epoch := time.Date(1899, time.December, 30, 0, 0, 0, 0, time.UTC)
	if b.epoch1904 {
		epoch = time.Date(1904, time.January, 1, 0, 0, 0, 0, time.UTC)
	} else if days >= 1 && days < leapDay {
		epoch = epoch.AddDate(0, 0, 1)
	}
	whole, part := math.Modf(days)
	at := epoch.AddDate(0, 0, int(whole)).Add(time.Duration(math.Round(part*secondsPerDay)) * time.Second)
	switch {
	case part == 0:
		return at.Format(time.DateOnly)
	case whole == 0:
		return at.Format(time.TimeOnly)
	default:
		return at.Format("2006-01-02T15:04:05")
	}
}
