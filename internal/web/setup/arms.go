package setup

import (
	"errors"
	"io"
	"io/fs"
	"mime/multipart"
	"net/http"
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
	kinds := chosenKinds(r)
	t = &sentFile{field: tablePart}
	t.Columns, t.Pictures = catalogue.Options{Kinds: kinds, Missing: chosenDrops(r, kinds)}, sentPictures(r)
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
	name     string // of the file, without its ending; empty if there is none
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
	}
	arms.Encoded, arms.pictures, err = sent.Open(r.Context())
	if _, ours := errors.AsType[*fs.PathError](err); ours { // the temporary directory failed
		return sentArms{}, err
	}
	if err != nil {
		f.wrongArms(w, sent.field, sent.Upload, err)
		return sentArms{}, nil
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
