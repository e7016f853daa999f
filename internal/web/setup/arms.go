package setup

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime/multipart"
	"net/http"
	"strings"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/statement"
	"bestpick/internal/study"
	"bestpick/internal/table"
	"bestpick/internal/uploads"
	"bestpick/internal/web/page"
)

// The form fields of arms.
const (
	cataloguePart = "catalogue" // a file
	idsPart       = "ids"       // the IDs of a .npy, another file
	tablePart     = "table"     // pasted text
	picturesPart  = "pictures"  // files
	pictureNames  = "pictured"  // in place of the files
	sheetPart     = "sheet"     // the name of a sheet of an .xlsx
)

// maxFileName is the maximum length of a file name in bytes.
const maxFileName = 255

// A sentTable is a table of arms that was sent, and the field that it was in.
type sentTable struct {
	read.Upload

	field string
	files []multipart.File
}

// close closes the files, which were only read.
func (t *sentTable) close() {
	for _, file := range t.files {
		_ = file.Close()
	}
}

// open opens a file of the form.
func (t *sentTable) open(header *multipart.FileHeader) (read.Upload, error) {
	file, err := header.Open()
	if err != nil {
		return read.Upload{}, err
	}
	t.files = append(t.files, file)
	return read.Upload{Name: header.Filename, Contents: file, Size: header.Size}, nil
}

// sentTable returns the table that was sent: a file, or else one that was pasted; nil if there is none, which is
// noted. The caller must close it.
func (f *studyForm) sentTable(w statement.Words, r *http.Request) (t *sentTable, err error) {
	t = &sentTable{field: tablePart}
	if file := page.File(r, cataloguePart); file != nil {
		t.field = cataloguePart
		if len(file.Filename) > maxFileName || !page.IsText(file.Filename) {
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
	t.Limits = uploads.Arms(uploads.MaxBytes)
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

// sentArms reads the arms that were sent, and with keep their pictures. What is wrong with them is noted. The name
// is that of the file, without what says its kind, if there is one.
func (f *studyForm) sentArms(w statement.Words, r *http.Request, keep bool) (arms *archive.Encoded, pictures []study.Picture, name string, err error) {
	sent, err := f.sentTable(w, r)
	if err != nil || sent == nil {
		return nil, nil, "", err
	}
	defer sent.close()
	arms, pictures, err = openArms(sent.Upload, r, keep)
	if _, ours := errors.AsType[*fs.PathError](err); ours { // the temporary directory failed
		return nil, nil, "", err
	}
	if err != nil {
		f.wrongArms(w, sent.field, sent.Upload, err)
		return nil, nil, "", nil
	}
	if sent.field == cataloguePart {
		name, _, _ = strings.Cut(sent.Name, ".")
	}
	return arms, pictures, name, nil
}

// openArms reads a table, which may be in a ZIP archive, and with keep the pictures that came with it.
func openArms(upload read.Upload, r *http.Request, keep bool) (arms *archive.Encoded, pictures []study.Picture, err error) {
	upload, files, err := archive.Unbundle(upload)
	if err != nil {
		return nil, nil, err
	}
	kinds := chosenKinds(r)
	options := catalogue.Options{Kinds: kinds, Missing: chosenDrops(r, kinds)}
	if catalogue.Ending(upload.Name) == ".xlsx" { // a name that was typed for another file is left
		options.Sheet = r.PostFormValue(sheetPart)
	}
	arms, err = archive.OpenUpload(upload, options, 0)
	if err != nil {
		return nil, nil, err
	}
	files = append(files, sentPictures(r)...)
	if keep {
		pictures, err = arms.AttachPictures(files)
	} else {
		arms.CheckPictures(files)
	}
	return arms, pictures, err
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

// Prefixes of the column in the names of fields: its type, and whether options without a value are dropped.
const (
	kindPrefix = "kind:"
	dropPrefix = "drop:"
)

// chosenKinds returns the types of columns that the owner chose in place of the recognised ones.
func chosenKinds(r *http.Request) map[string]catalogue.Kind {
	kinds := map[string]catalogue.Kind{}
	for name, values := range r.PostForm {
		column, is := strings.CutPrefix(name, kindPrefix)
		if kind, err := catalogue.ParseKind(values[0]); is && err == nil {
			kinds[column] = kind
		}
	}
	return kinds
}

// chosenDrops returns the columns whose missing values drop an option, where their types allow that.
func chosenDrops(r *http.Request, kinds map[string]catalogue.Kind) map[string]catalogue.MissingPolicy {
	drops := map[string]catalogue.MissingPolicy{}
	for name := range r.PostForm {
		column, is := strings.CutPrefix(name, dropPrefix)
		if kind, chosen := kinds[column]; is && (!chosen || catalogue.DropArms.Suits(kind)) {
			drops[column] = catalogue.DropArms
		}
	}
	return drops
}

// maxProblems is the maximum number of problems of a file that a page shows.
const maxProblems = 5

// wrongArms records the problems of arms, one per line, at the field of their file.
func (f *studyForm) wrongArms(w statement.Words, field string, u read.Upload, err error) {
	list, more := []error{err}, 0
	if several, is := errors.AsType[*catalogue.Problems](err); is {
		list, more = several.List, several.More
	}
	more += max(0, len(list)-maxProblems)
	for _, one := range list[:min(maxProblems, len(list))] {
		at := field
		if placed, is := errors.AsType[*table.Error](one); is && u.IDs != nil && placed.File == u.IDs.Name && placed.File != u.Name {
			at = idsPart
		}
		f.Problems[at] = strings.TrimPrefix(f.Problems[at]+"\n"+problemText(w, one), "\n")
	}
	if more > 0 {
		f.Problems[field] = strings.TrimPrefix(f.Problems[field]+"\n"+w.Must("problem.more", "more", more), "\n")
	}
}

// problemText returns a problem of a file for a page: the place and the message.
func problemText(w statement.Words, err error) string {
	placed, is := errors.AsType[*table.Error](err)
	if !is {
		return err.Error()
	}
	text := placed.Text
	if placed.As != "" {
		text += w.Must("problem.leave-out")
	}
	if placed.More > 0 {
		text += fmt.Sprintf(" (and %s more)", table.Grouped(placed.More))
	}
	switch {
	case placed.Line > 0 && placed.Column != "":
		return w.Must("problem.in-cell", "line", placed.Line, "column", placed.Column, "problem", text)
	case placed.Line > 0:
		return w.Must("problem.in-line", "line", placed.Line, "problem", text)
	case placed.Column != "":
		return w.Must("problem.in-column", "column", placed.Column, "problem", text)
	}
	return text
}
