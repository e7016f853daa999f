package setup

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/picture"
	"bestpick/internal/statement"
	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/table"
	"bestpick/internal/web/page"
)

// maxFileName is the maximum length of a file name in bytes.
const maxFileName = 255

// A sentFile is a table of arms that was sent, and the field that it was in.
type sentFile struct {
	owner.File

	field string
	files []multipart.File
}

// close closes the files, which were only read.
func (t *sentFile) close() {
	for _, file := range t.files {
		_ = file.Close()
	}
}

// open opens a file of the form.
func (t *sentFile) open(header *multipart.FileHeader) (read.Upload, error) {
	file, err := header.Open()
	if err != nil {
		return read.Upload{}, err
	}
	t.files = append(t.files, file)
	return read.Upload{Name: header.Filename, Contents: file, Size: header.Size}, nil
}

// sentFile returns the table that was sent: a file, or else one that was pasted; nil if there is none, which is
// noted. The caller must close it.
func (f *studyForm) sentFile(w statement.Words, r *http.Request) (t *sentFile, err error) {
	t = &sentFile{field: tablePart}
	t.Columns, f.page.Cards = readColumns(chosenColumns(r))
	t.Columns.Heading, t.Pictures = chosenHeading(r), sentPictures(r)
	if file := page.File(r, cataloguePart); file != nil {
		t.field = cataloguePart
		if len(file.Filename) > maxFileName || !study.IsText(file.Filename) {
			f.problem(w, t.field, "problem.file-name")
			return nil, nil //nolint:nilnil // as documented
		}
		if t.Upload, err = t.open(file); err != nil {
			return nil, err
		}
	} else {
		text := strings.NewReader(r.PostFormValue(tablePart))
		if strings.TrimSpace(r.PostFormValue(tablePart)) == "" {
			f.problem(w, cataloguePart, "problem.nothing")
			return nil, nil //nolint:nilnil // as documented
		}
		t.Upload = read.Upload{Name: "pasted", Contents: text, Size: text.Size()}
	}
	t.Limits = table.ArmsLimits(table.MaxUploadBytes)
	if ending := table.Ending(t.Name); ending == ".xlsx" || ending == ".zip" { // a name that was typed for another file is left
		t.Columns.Sheet = r.PostFormValue(sheetPart)
	}
	if ids := page.File(r, idsPart); ids != nil {
		opened, err := t.open(ids)
		if err != nil {
			t.close()
			return nil, err
		}
		t.IDs = &opened
	}
	return t, nil
}

// sentArms has the arms of a form.
type sentArms struct {
	*archive.Encoded // nil if they cannot be read

	pictures []study.Picture
	name     string            // of the file, without its ending; empty if there is none
	layout   *read.Layout      // of a workbook, in a preview
	asFound  *archive.Encoded  // in a preview, the arms as recognised if they cannot be read as the owner chose
	wrong    map[string]string // the problems of columns
}

// sentArms reads the arms that were sent, and with keep their pictures; otherwise it only checks them and their addresses.
// What is wrong with them is noted.
func (f *studyForm) sentArms(w statement.Words, r *http.Request, links *picture.Links, keep bool) (arms sentArms, err error) {
	sent, err := f.sentFile(w, r)
	if err != nil || sent == nil {
		return arms, err
	}
	defer sent.close()
	if sent.Preview = !keep; sent.Preview {
		sent.Links = links
		arms.layout, _ = sent.Layout() // Open reports what is wrong
	}
	arms.Encoded, arms.pictures, err = sent.Open(r.Context())
	if _, ours := errors.AsType[*fs.PathError](err); ours { // the temporary directory failed
		return sentArms{}, err
	}
	if err != nil {
		f.wrongArms(w, sent.field, sent.Upload, err)
		if sent.Preview && len(sent.Columns.Kinds) > 0 {
			arms.wrong = columnProblems(w, err)
			sent.Columns.Kinds = nil
			arms.asFound, _, _ = sent.Open(r.Context()) // nil if it cannot be read
		}
		return sentArms{layout: arms.layout, asFound: arms.asFound, wrong: arms.wrong}, nil
	}
	if sent.field == cataloguePart {
		arms.name, _, _ = strings.Cut(sent.Name, ".")
	}
	return arms, nil
}

// sentPictures returns the pictures that were sent beside the table, or their names, which is enough to check them.
func sentPictures(r *http.Request) (files []archive.PictureFile) {
	if r.MultipartForm == nil {
		return nil
	}
	for _, file := range r.MultipartForm.File[picturesPart] {
		files = append(files, archive.PictureFile{Name: file.Filename, Open: func() (io.ReadCloser, error) { return file.Open() }})
	}
	for _, name := range r.PostForm[pictureNames] {
		files = append(files, archive.PictureFile{Name: name})
	}
	return files
}

// Prefixes of the column in the names of fields: its recognised type, the chosen one, whether it is used for predictions,
// and whether options without a value are dropped. [shownPrefix] says whether respondents see it.
const (
	columnPrefix = "column:"
	kindPrefix   = "kind:"
	usedPrefix   = "used:"
	dropPrefix   = "drop:"
)

// A columnChoice is what the owner chose for a column.
type columnChoice struct {
	recognised        catalogue.Kind
	kind              catalogue.Kind // the chosen type; Unknown for the recognised one
	used, shown, drop bool
}

// chosenColumns returns what the owner chose for each column.
func chosenColumns(r *http.Request) map[string]columnChoice {
	columns := map[string]columnChoice{}
	for name, values := range r.PostForm {
		column, is := strings.CutPrefix(name, columnPrefix)
		recognised, err := catalogue.ParseKind(values[0])
		if !is || err != nil {
			continue
		}
		kind, _ := catalogue.ParseKind(r.PostFormValue(kindPrefix + column)) // Unknown otherwise
		has := func(prefix string) bool { return r.PostForm.Has(prefix + column) }
		columns[column] = columnChoice{recognised, kind, has(usedPrefix), has(shownPrefix), has(dropPrefix)}
	}
	return columns
}

// read returns the type as which the column is read: with another use, a text is a category, and a feature is only shown.
func (c columnChoice) read() catalogue.Kind {
	kind := cmp.Or(c.kind, c.recognised)
	switch {
	case kind == catalogue.Embedding && !c.used:
		return catalogue.Ignored
	case (kind == catalogue.Shown || kind == catalogue.Ignored) && c.used:
		return catalogue.Category
	case predicts(kind) && !c.used, kind == catalogue.Ignored && c.shown:
		return catalogue.Shown
	}
	return kind
}

// predicts reports whether a column of a type is used for predictions.
func predicts(kind catalogue.Kind) bool {
	return kind.Feature() || kind == catalogue.Date || kind == catalogue.Month
}

// readColumns returns the options with which a table is read, and what respondents see of it.
func readColumns(columns map[string]columnChoice) (options catalogue.Options, content study.CardContent) {
	options.Kinds, options.Missing = map[string]catalogue.Kind{}, map[string]catalogue.MissingPolicy{}
	content.Columns = map[string]study.CardColumn{}
	for column, c := range columns {
		kind := c.read()
		if kind != c.recognised {
			options.Kinds[column] = kind
		}
		if c.drop && catalogue.DropArms.Suits(kind) {
			options.Missing[column] = catalogue.DropArms
		}
		if !c.shown && (predicts(kind) && kind != catalogue.Embedding || kind == catalogue.Shown) {
			content.Columns[column] = study.CardColumn{Hidden: true}
		}
	}
	return options, content
}

// chosenHeading returns the row of headings, or whether the first line of a list is one.
func chosenHeading(r *http.Request) int {
	if r.PostForm.Has(listField) {
		if r.PostForm.Has(headingField) {
			return 1
		}
		return catalogue.NoHeading
	}
	row, _ := strconv.Atoi(r.PostFormValue(headingField)) // 0 is recognised
	return max(catalogue.NoHeading, row)
}
