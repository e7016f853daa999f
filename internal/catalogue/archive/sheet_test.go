package archive_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bestpick/internal/approx"
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/cataloguetest"
	"bestpick/internal/testsupport"
)

// TestSheets: a sheet without ids, and one with names only, gives the same study in every format and
// encoding, with the headline as the title.
func TestSheets(t *testing.T) {
	all := cataloguetest.Headlines()
	for _, sheet := range []cataloguetest.Sheet{all, all.Only(1)} {
		var first *archive.Encoded
		for _, file := range []struct{ name, content, encoding string }{
			{"sheet.csv", sheet.Text(",", ".", "\n"), ""},
			{"german.csv", sheet.German(t), "Windows-1252"},
			{"unicode.txt", sheet.UTF16(t), "UTF-16"},
			{"sheet.xlsx", sheet.Workbook(t), ""},
			{"sheet.json", sheet.JSON(t), ""},
			{"bars.csv", sheet.Text("|", ".", "\n"), ""},
			{"pasted", sheet.Text("\t", ".", "\n"), ""},
			{"german paste", sheet.Text("\t", ",", "\n"), ""},
		} {
			got, err := archive.OpenUpload(uploaded(file.name, file.content), catalogue.Options{}, 0)
			if err != nil {
				t.Errorf("%s: %v", file.name, err)
				continue
			}
			if first == nil {
				first = got
			}
			names := len(sheet.Columns) == 1
			if card := got.Card(4); card.ID != "5" || card.Label != cataloguetest.Headline(4) || (card.Image != "") == names || len(card.Attributes) != max(0, len(sheet.Columns)-2) {
				t.Errorf("%s: %+v", file.name, card)
			}
			if got.Encoding.PerOption() != names {
				t.Errorf("%s: %v", file.name, got.Encoding.Features())
			}
			if got.Table.Encoding != file.encoding {
				t.Errorf("%s: the encoding is %q", file.name, got.Table.Encoding)
			}
			sameStudy(t, file.name, first, got)
		}
	}
}

// sameStudy compares the features, bit for bit, and what is shown of arms apart from their attributes.
func sameStudy(t *testing.T, name string, want, got *archive.Encoded) {
	t.Helper()
	if diff := cmp.Diff(want.Arms.Features(), got.Arms.Features()); diff != "" || want.Arms.Len() != got.Arms.Len() {
		t.Errorf("%s: %d arms, %s", name, got.Arms.Len(), diff)
		return
	}
	for i := range want.Arms.Len() {
		for k, x := range want.Arms.Arm(i) {
			if math.Float64bits(x) != math.Float64bits(got.Arms.Arm(i)[k]) {
				t.Errorf("%s: feature %s of %s is %v, not %v", name, want.Arms.Features()[k], want.Arms.ID(i), got.Arms.Arm(i)[k], x)
			}
		}
	}
	if diff := cmp.Diff([][]string{want.Labels, want.Descriptions, want.Images}, [][]string{got.Labels, got.Descriptions, got.Images}); diff != "" {
		t.Errorf("%s: %s", name, diff)
	}
}

// TestHumanNumbersAreKept: how numbers are written, what is missing and which column is the title are
// saved with a catalogue, and arms that are added later are read the same way.
func TestHumanNumbersAreKept(t *testing.T) {
	const file = "product;weight;price;since;colour\nA;1,5 kg;9,99;3.12.2016;red\nB;800 g;;4.2.2017;\nC;2 kg;1.234,50;15.2.2017;blue\nD;3 kg;5,00;1.1.2018;red\nE;2,5 kg;7,00;1.3.2018;blue\nF;1 kg;2,00;5.1.2018;red\n"
	options := catalogue.Options{Kinds: map[string]catalogue.Kind{"since": catalogue.Month}}
	opened, err := archive.OpenUpload(uploaded("first.csv", file), options, 0)
	testsupport.NoError(t, err)
	saved, err := load(save(t, &opened.Catalogue))
	testsupport.NoError(t, err)
	sameStudy(t, "saved", opened, &archive.Encoded{Catalogue: *saved})
	if card := saved.Card(1); card.Label != "B" || len(card.Attributes) != 2 || card.Attributes[0].Value != "800 g" || card.Attributes[1].Value != "2017-02" {
		t.Errorf("%+v", card)
	}
	table := catalogue.Table{Columns: saved.Attributes}
	if weight := table.Column("weight").Numbers; weight[1] != 0.8 {
		t.Errorf("800 g are %v kg", weight[1])
	}
	const more = "product;weight;price;since;colour\nG;500 g;1,234;28.2.2017;\n"
	all, err := saved.Add(uploaded("more.csv", more), catalogue.Options{})
	testsupport.NoError(t, err)
	later := all.Card(6)
	if later.ID != "7" || later.Label != "G" || later.Attributes[2].Value != "2017-02" {
		t.Errorf("%+v", later)
	}
	e := saved.Encoding
	for column, want := range map[string]float64{"weight": 0.5, "price": 1.234} {
		c := e.Coding(column)
		at := -1
		for k, name := range e.Features() {
			if name == column {
				at = k
			}
		}
		approx.Equal(t, column, all.Arms.Arm(6)[at]*e.Ball*c.Scale+c.Mean, want, 1e-5)
	}
}
