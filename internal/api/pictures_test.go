package api_test

import (
	"bytes"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"bestpick/client"
	"bestpick/internal/catalogue/cataloguetest"
	"bestpick/wire"
)

// TestZIPOfATableAndPictures: arms and respondents get the addresses of stored pictures, added arms as well.
func TestZIPOfATableAndPictures(t *testing.T) {
	s := begin(t, setting{idle: true})
	var photo bytes.Buffer
	s.must(png.Encode(&photo, image.NewGray(image.Rect(0, 0, 2, 2))))
	bundle := func(rows string) client.File {
		return file("arms.zip", cataloguetest.ZIP(t, map[string]string{"t.csv": "id,image,x\n" + rows, "a.png": photo.String()}))
	}
	created, err := s.owner.Create(t.Context(), client.NewStudy{Name: "x", Catalogue: bundle("1,a.png,1\n2,none.png,2\n3,,3\n")})
	s.must(err)
	if len(created.Warnings) == 0 || !strings.Contains(created.Warnings[len(created.Warnings)-1].Text, "none.png") {
		t.Errorf("%v", created.Warnings)
	}
	changed, err := s.owner.AddArms(t.Context(), created.Study.ID, created.Study.Version, bundle("4,a.png,5\n"), nil)
	s.must(err)
	_, err = s.owner.ReplaceArms(t.Context(), created.Study.ID, changed.Study.Version, bundle("1,a.png,1\n2,a.png,2\n3,a.png,4\n"), nil)
	s.must(err)
	page, err := s.viewer.Arms(t.Context(), created.Study.ID, "")
	s.must(err)
	for _, arm := range page.Arms {
		if !strings.HasPrefix(arm.Image, "/s/"+created.Study.ID+"/pictures/") {
			t.Errorf("%s has %q", arm.ID, arm.Image)
		}
	}
	_, err = s.owner.Create(t.Context(), client.NewStudy{Name: "x", Catalogue: file("arms.zip", cataloguetest.ZIP(t, map[string]string{"a.png": photo.String()}))})
	s.refused(err, 422, wire.Invalid, "body.catalogue")
}

// TestSheet: the sheet of a workbook can be chosen.
func TestSheet(t *testing.T) {
	s := begin(t, setting{idle: true})
	book := excelize.NewFile()
	_, err := book.NewSheet("Other")
	s.must(err)
	for i, row := range [][]any{{"id", "x"}, {"a", 1}, {"b", 2}, {"c", 3}} {
		cell, err := excelize.CoordinatesToCellName(1, i+1)
		s.must(err)
		s.must(book.SetSheetRow("Other", cell, &row))
	}
	content := cataloguetest.SavedWorkbook(t, book)
	arms := file("arms.xlsx", content)
	arms.Sheet = "Other"
	created, err := s.owner.Create(t.Context(), client.NewStudy{Name: "x", Catalogue: arms})
	s.must(err)
	if created.Study.Arms != 3 {
		t.Errorf("%d arms", created.Study.Arms)
	}
	_, err = s.owner.Create(t.Context(), client.NewStudy{Name: "x", Catalogue: file("arms.xlsx", content)})
	s.refused(err, 422, wire.Invalid, "body.catalogue")
}
