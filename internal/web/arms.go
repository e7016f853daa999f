package web

import (
	"errors"
	"io/fs"
	"mime/multipart"
	"net/http"
	"regexp"
	"strings"
	"time"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/table"
	"bestpick/internal/uploads"
)

// The fields that arms come in.
const (
	cataloguePart = "catalogue" // a file
	idsPart       = "ids"       // of a .npy, another file
	tablePart     = "table"     // that was pasted
)

const (
	uploadMemory = 8 << 20 // bytes of a form that are kept in memory
	uploadTime   = 10 * time.Minute
	longestFile  = 255 // bytes of the name of a file
)

// parseUpload reads a form with files. What is beside memory is removed by the function that it returns.
func parseUpload(w http.ResponseWriter, r *http.Request) (done func(), err error) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(uploadTime)) // where there is none, the server's goes
	r.Body = http.MaxBytesReader(w, r.Body, uploads.MaxBytes)
	err = r.ParseMultipartForm(uploadMemory)
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // as above
	return func() {
		if r.MultipartForm != nil {
			_ = r.MultipartForm.RemoveAll() // a leftover in the temporary folder does no harm
		}
	}, err
}

// sentFile is the file of a field, nil where none was chosen.
func sentFile(r *http.Request, field string) *multipart.FileHeader {
	if r.MultipartForm == nil || len(r.MultipartForm.File[field]) == 0 || r.MultipartForm.File[field][0].Filename == "" {
		return nil
	}
	return r.MultipartForm.File[field][0]
}

// sentArms reads the arms that were sent: a file, or else a table that was pasted. What is wrong with them is
// noted. The name is that of the file, without what says its kind, if there is one.
func (f *studyForm) sentArms(w words, r *http.Request) (arms *archive.Encoded, name string, err error) {
	upload := read.Upload{Name: "pasted", Limits: uploads.Arms(uploads.MaxBytes)}
	field := tablePart
	if file := sentFile(r, cataloguePart); file != nil {
		field = cataloguePart
		if len(file.Filename) > longestFile || !isText(file.Filename) {
			f.problem(w, field, "problem.file-name")
			return nil, "", nil
		}
		opened, err := file.Open()
		if err != nil {
			return nil, "", err
		}
		defer func() { _ = opened.Close() }() // it was only read
		upload.Name, upload.Contents, upload.Size = file.Filename, opened, file.Size
	} else {
		text := strings.NewReader(r.PostFormValue(tablePart))
		if strings.TrimSpace(r.PostFormValue(tablePart)) == "" {
			f.problem(w, cataloguePart, "problem.nothing")
			return nil, "", nil
		}
		upload.Contents, upload.Size = text, text.Size()
	}
	if ids := sentFile(r, idsPart); ids != nil {
		opened, err := ids.Open()
		if err != nil {
			return nil, "", err
		}
		defer func() { _ = opened.Close() }() // it was only read
		upload.IDs = &read.Upload{Name: ids.Filename, Contents: opened, Size: ids.Size}
	}
	arms, err = archive.OpenUpload(upload, catalogue.Options{Kinds: chosenKinds(r)}, 0)
	if _, ours := errors.AsType[*fs.PathError](err); ours { // the temporary folder fails
		return nil, "", err
	}
	if err != nil {
		f.wrongArms(w, field, upload, err)
		return nil, "", nil
	}
	if field == cataloguePart {
		name, _, _ = strings.Cut(upload.Name, ".")
	}
	return arms, name, nil
}

// kindPrefix begins the names of the fields that say what kind a column is.
const kindPrefix = "kind:"

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

// mostTold is the maximum number of problems of a file that a page shows.
const mostTold = 5

// wrongArms notes what is wrong with arms, a line each, in the field of the file that it is in.
func (f *studyForm) wrongArms(w words, field string, u read.Upload, err error) {
	list, more := []error{err}, 0
	if several, is := errors.AsType[*catalogue.Problems](err); is {
		list, more = several.List, several.More
	}
	more += max(0, len(list)-mostTold)
	for _, one := range list[:min(mostTold, len(list))] {
		at := field
		if placed, is := errors.AsType[*table.Error](one); is && u.IDs != nil && placed.File == u.IDs.Name && placed.File != u.Name {
			at = idsPart
		}
		f.Problems[at] = strings.TrimPrefix(f.Problems[at]+"\n"+w.problemText(one), "\n")
	}
	if more > 0 {
		f.Problems[field] = strings.TrimPrefix(f.Problems[field]+"\n"+w.must("problem.more", "more", more), "\n")
	}
}

// atPrompt matches the part of a problem that applies to the command line only.
var atPrompt = regexp.MustCompile(`[,;] (or )?--as .*$`)

// problemText returns a problem of a file for a page: the place and the message.
func (w words) problemText(err error) string {
	placed, is := errors.AsType[*table.Error](err)
	if !is {
		return err.Error()
	}
	text := placed.Text()
	if atPrompt.MatchString(text) {
		text = atPrompt.ReplaceAllString(text, "") + w.must("problem.leave-out")
	}
	switch {
	case placed.Line > 0 && placed.Column != "":
		return w.must("problem.in-cell", "line", placed.Line, "column", placed.Column, "problem", text)
	case placed.Line > 0:
		return w.must("problem.in-line", "line", placed.Line, "problem", text)
	case placed.Column != "":
		return w.must("problem.in-column", "column", placed.Column, "problem", text)
	}
	return text
}

// must is a message that there is.
func (w words) must(key string, pairs ...any) string {
	text, err := w.Say(key, pairs...)
	if err != nil {
		panic(err.Error())
	}
	return text
}
