package api

import (
	"context"
	"errors"
	"io/fs"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/internal/catalogue"
	"bestpick/internal/table"
)

// inFiles returns the problem for invalid files, with one detail per error. locate returns the form
// field of a file name.
func (a *api) inFiles(err error, locate func(file string) string) error {
	if _, ours := errors.AsType[*fs.PathError](err); ours { // the temporary directory failed
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

// inJSON returns the function that locates problems, for requests in JSON as well.
func inJSON(ctx context.Context, locate func(file string) string) func(file string) string {
	if list, is := ctx.Value(listKey{}).(string); is {
		return func(string) string { return list }
	}
	return locate
}

// locate returns the field of a file by its name.
func (f *armsForm) locate(file string) string {
	if f.IDs.IsSet && file == f.IDs.Filename && file != f.Catalogue.Filename {
		return idsField
	}
	return catalogueField
}
