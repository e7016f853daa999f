package archive

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"path"
	"slices"
	"strings"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/encode"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/picture"
	"bestpick/internal/table"
)

// A PictureFile is a file of a picture that was uploaded with a table.
type PictureFile struct {
	Name string
	Open func() (io.ReadCloser, error) // nil if only the name is known
}

// Limits of pictures that are uploaded together.
const (
	maxPictures      = 2000
	maxPictureBytes  = 128 << 20 // resized
	maxBundledTable  = 64 << 20  // bytes
	maxBundleEntries = 10_000
)

// Unbundle returns the table in a ZIP archive, and the other files as its pictures. Other uploads,
// workbooks and saved catalogues among them, are returned as they are.
func Unbundle(u read.Upload) (read.Upload, []PictureFile, error) {
	start := make([]byte, len(table.ZIPMagic))
	if _, err := u.Contents.ReadAt(start, 0); err != nil || string(start) != table.ZIPMagic ||
		table.Ending(u.Name) == savedEnding {
		return u, nil, nil //nolint:nilerr // the reader of the table says what is wrong
	}
	archive, err := table.OpenZIP(u.Contents, u.Size)
	if err != nil || table.IsWorkbook(archive) {
		return u, nil, nil //nolint:nilerr // as above
	}
	var tables []*zip.File
	var pictures []PictureFile
	for _, file := range archive.File {
		switch name := path.Base(file.Name); {
		case file.FileInfo().IsDir() || strings.HasPrefix(name, ".") || strings.HasPrefix(file.Name, "__MACOSX/"):
		case isTable(name):
			tables = append(tables, file)
		default:
			pictures = append(pictures, PictureFile{
				file.Name,
				func() (io.ReadCloser, error) { return table.OpenEntry(file, picture.MaxBytes) },
			})
		}
	}
	var problem table.Problem
	switch {
	case len(pictures) > maxBundleEntries:
		problem = table.Problemf("zip-files", "the ZIP archive has more than %s files", table.Grouped(maxBundleEntries))
	case len(tables) == 0 && len(pictures) == 0 || len(tables) == 0 && table.FindEntry(archive, encodingFile) != nil:
		return u, nil, nil
	case len(tables) == 0:
		problem = table.Problemf("zip-no-table", "the ZIP archive has no table of options, such as a .csv or .xlsx")
	case len(tables) > 1:
		problem = table.Problemf("zip-tables", "the ZIP archive has %d tables, %s and %s among them; it must have one",
			len(tables), tables[0].Name, tables[1].Name)
	}
	if problem.Exists() {
		return u, nil, &table.Error{File: u.Name, Problem: problem}
	}
	inside, err := bundledTable(tables[0], u)
	return inside, pictures, err
}

// isTable reports whether a file in an archive is the table, by its name.
func isTable(name string) bool {
	return slices.Contains([]string{".csv", ".tsv", ".xlsx", ".json", ".jsonl", ".ndjson", ".parquet"}, table.Ending(name))
}

// bundledTable reads the table in an archive into memory.
func bundledTable(file *zip.File, u read.Upload) (read.Upload, error) {
	content, err := table.OpenEntry(file, maxBundledTable)
	if err != nil {
		return u, table.InFile(u.Name, err)
	}
	defer func() { _ = content.Close() }() // it was only read
	all, err := io.ReadAll(content)
	if err != nil {
		return u, table.InFile(u.Name, table.ErrDamagedZIP)
	}
	u.Name, u.Contents, u.Size = path.Base(file.Name), bytes.NewReader(all), int64(len(all))
	return u, nil
}

// CheckPictures warns of images that are neither addresses nor among the uploaded files. It returns the
// files that arms refer to, by the images that do.
func (e *Encoded) CheckPictures(files []PictureFile) map[string]PictureFile {
	named := map[string]PictureFile{}
	for _, file := range files {
		named[pictureKey(file.Name)] = file
	}
	found := map[string]PictureFile{}
	var missing []string
	for _, image := range e.newImages() {
		file, there := named[pictureKey(image)]
		switch {
		case image == "" || read.IsAddress(image) || isStored(image):
		case there:
			found[image] = file
		case !slices.Contains(missing, image) && len(files) > 0:
			missing = append(missing, image)
		}
	}
	if len(missing) > 0 {
		e.Warnings = append(e.Warnings,
			encode.NewWarning("", "no-pictures", "the upload lacks %d of the pictures that the table names: %s", len(missing),
				catalogue.Enumerate(missing, maxListed)))
	}
	return found
}

// CheckLinks warns of pictures at addresses that do not load.
func (e *Encoded) CheckLinks(ctx context.Context, links *picture.Links) {
	distinct := map[string]bool{}
	for _, image := range e.newImages() {
		if image != "" {
			distinct[image] = true
		}
	}
	if failing := links.Failing(ctx, e.newImages()); len(failing) > 0 {
		e.Warnings = append(e.Warnings, encode.NewWarning("", "dead-pictures", "%d of %d pictures cannot be loaded: %s", len(failing),
			len(distinct), catalogue.Enumerate(failing, maxListed)))
	}
}

// maxListed is how many pictures a warning lists.
const maxListed = 10

// newImages returns the images of the arms that came with the table.
func (e *Encoded) newImages() []string {
	if e.Added > 0 && e.Images != nil {
		return e.Images[len(e.Images)-e.Added:]
	}
	return e.Images
}

func isStored(image string) bool {
	_, stored := picture.Hash(image)
	return stored
}

// pictureKey returns the name of a file without folders, in lower case.
func pictureKey(name string) string {
	return strings.ToLower(path.Base(strings.ReplaceAll(name, `\`, "/")))
}

// AttachPictures makes pictures of the uploaded files that arms refer to, and has the arms refer to these. It
// warns as [Encoded.CheckPictures] does. It stops with the context, because a small file can take long to decode.
func (e *Encoded) AttachPictures(ctx context.Context, files []PictureFile) ([]picture.Picture, error) {
	found := e.CheckPictures(files)
	if len(found) > maxPictures {
		return nil, &table.Error{Problem: table.Problemf("many-pictures", "there are more than %s pictures",
			table.Grouped(maxPictures))}
	}
	var pictures []picture.Picture
	names, size := map[string]string{}, 0
	for _, image := range e.newImages() {
		file, uploaded := found[image]
		if _, done := names[image]; !uploaded || done {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p, err := readPicture(file)
		if err != nil {
			return nil, table.InFile(file.Name, err)
		}
		if size += len(p.Bytes); size > maxPictureBytes {
			return nil, &table.Error{File: file.Name, Problem: table.Problemf("large-pictures",
				"the pictures take more than %s after resizing", table.Size(maxPictureBytes))}
		}
		names[image], pictures = p.Name(), append(pictures, p)
	}
	e.rename(names)
	return pictures, nil
}

func readPicture(file PictureFile) (picture.Picture, error) {
	if file.Open == nil {
		return picture.Picture{}, errors.New("the file was not sent")
	}
	content, err := file.Open()
	if err != nil {
		return picture.Picture{}, err
	}
	p, err := picture.Read(content)
	return p, errors.Join(err, content.Close())
}

// rename replaces images of the arms that came with the table.
func (e *Encoded) rename(names map[string]string) {
	e.Images = slices.Clone(e.Images) // the table has the original
	for i, image := range e.newImages() {
		if name, renamed := names[image]; renamed {
			e.newImages()[i] = name
		}
	}
}
