package api

import (
	"errors"
	"io/fs"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/internal/catalogue"
	"bestpick/internal/table"
)

// inFiles is the problem of files that somebody sent: one detail for each thing that is wrong. locate says in
// which field the file with a name was.
func (a *api) inFiles(err error, locate func(file string) string) error {
	if _, ours := errors.AsType[*fs.PathError](err); ours { // the temporary folder fails
		return a.problem(err)
	}
	list := []error{err}
	if several, ok := errors.AsType[*catalogue.Problems](err); ok {
		list = several.List
	}
	told := invalid("body", err.Error())
	told.Errors = nil
	for _, one := range list {
		file := ""
		if placed, ok := errors.AsType[*table.Error](one); ok {
			file = placed.File
		}
		told.Errors = append(told.Errors, &huma.ErrorDetail{Location: "body." + locate(file), Message: one.Error()})
	}
	return told
}

// locate returns the field of a file by its name.
func (f *armsForm) locate(file string) string {
	if f.IDs.IsSet && file == f.IDs.Filename && file != f.Catalogue.Filename {
		return idsField
	}
	return catalogueField
}
