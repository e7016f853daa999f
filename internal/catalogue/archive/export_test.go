package archive_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/table"
	"bestpick/internal/testsupport"
)

func writeArms(t rapid.TB, s *archive.Catalogue, format table.Format, extra ...archive.ExtraColumn) string {
	t.Helper()
	var file bytes.Buffer
	testsupport.NoError(t, archive.WriteArms(&file, s, format, extra...))
	return file.String()
}

const exported = `sku,title,price,colour,wifi,tax,note,e1,e2
1,Alpha,12.50,red,yes,0.20,not known,1,2
02,"Beta, ""the
other""",1e3,blue,no,0.20,why it is,2,1
3,,+7,red,No,0.20,so and not,3,3
`

func exportedArms(t *testing.T) *archive.Catalogue {
	t.Helper()
	encoded := encodeText(t, exported, "arms.csv",
		catalogue.Options{Kinds: map[string]catalogue.Kind{"e": catalogue.Embedding, "colour": catalogue.Category}})
	return &encoded.Catalogue
}

func TestWriteArms(t *testing.T) {
	withdrawn := archive.ExtraColumn{Name: "withdrawn", Value: func(arm int) string { return []string{"no", "yes", "no"}[arm] }}
	for format, want := range map[table.Format]string{
		table.CSV: `id,label,price,colour,wifi,tax,note,withdrawn
1,Alpha,12.50,red,yes,0.20,not known,no
02,"Beta, ""the
other""",1e3,blue,no,0.20,why it is,yes
3,,+7,red,No,0.20,so and not,no
`,
		table.JSONLines: `{"id":"1","label":"Alpha","price":12.50,"colour":"red","wifi":"yes","tax":0.20,"note":"not known","withdrawn":"no"}
{"id":"02","label":"Beta, \"the\nother\"","price":1e3,"colour":"blue","wifi":"no","tax":0.20,"note":"why it is","withdrawn":"yes"}
{"id":"3","label":"","price":7,"colour":"red","wifi":"No","tax":0.20,"note":"so and not","withdrawn":"no"}
`,
	} {
		if got := writeArms(t, exportedArms(t), format, withdrawn); got != want {
			t.Errorf("%v: got\n%s", format, got)
		}
	}
	file := writeArms(t, exportedArms(t), table.Parquet, withdrawn)
	arms, err := read.Table(strings.NewReader(file), "arms.parquet",
		catalogue.Options{Kinds: map[string]catalogue.Kind{"colour": catalogue.Category}})
	testsupport.NoError(t, err)
	var got []string
	for k := range arms.Columns {
		c := &arms.Columns[k]
		got = append(got, fmt.Sprint(c.Name, " ", c.Kind, " ", c.Text(0), " ", c.Text(1), " ", c.Text(2)))
	}
	want := []string{
		"id id 1 02 3", "label label Alpha Beta, \"the\nother\" ", "price number 12.5 1000 7",
		"colour category red blue red", "wifi boolean yes no No", "tax number 0.2 0.2 0.2", "note shown not known why it is so and not",
		"withdrawn ignored no yes no",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// TestMissingAttributesAreWritten as nothing, and in JSON and Parquet as null.
func TestMissingAttributesAreWritten(t *testing.T) {
	whole, err := extend(saveLamps(t), "sku,price,cents,brand,wifi\ng,13,1300,acme,no\nh,14,a lot,acme,no\n", catalogue.Options{})
	testsupport.NoError(t, err)
	if got := writeArms(t, &whole.Catalogue, table.CSV); !strings.HasSuffix(got, "\ng,,13,1300,acme,,no\nh,,14,a lot,acme,,no\n") {
		t.Error(got)
	}
	if got := writeArms(t, &whole.Catalogue, table.JSONLines); !strings.HasSuffix(got,
		`{"id":"h","label":"","price":14,"cents":"a lot","brand":"acme","country":null,"wifi":"no"}`+"\n") {
		t.Error(got)
	}
	// A description may be empty, so that the column can be read.
	options := catalogue.Options{Kinds: map[string]catalogue.Kind{"country": catalogue.Description}}
	arms, err := read.Table(strings.NewReader(writeArms(t, &whole.Catalogue, table.Parquet)), "arms.parquet", options)
	testsupport.NoError(t, err)
	if cents, country := arms.Column("cents"), arms.Column("country"); cents.Text(6) != "1300" || cents.Text(7) != "a lot" ||
		country.Text(5) != "us" || country.Text(6) != "" {
		t.Errorf("%q %q", cents.Texts, country.Texts)
	}
}

// drawFile draws arms as delimited text that is read without being told anything.
func drawFile(t *rapid.T) string {
	const rows = 15
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	pick := func(from []string) string { return from[rng.IntN(len(from))] }
	name := rapid.OneOf(
		rapid.SampledFrom([]string{
			"ID", "sku", "Label", "name", "title", "text", "photo", "price;eur", "a;b;c;d;e", "x\ty\tz\tu\tv\tw",
			"two\nlines", `"quoted"`, "a.b", "a,b", "withdrawn", "attribute:label", "e1", "e2",
		}),
		rapid.StringMatching(`[a-zäλ ][a-z0-9 ]{0,6}[a-z]`),
	)
	names := rapid.SliceOfNDistinct(name, 1, 6, rapid.ID).Draw(t, "names")
	text := rapid.OneOf(rapid.StringMatching(`[ -~]{0,8}`),
		rapid.SampledFrom([]string{"NA", "7", "é; è", "a\tb", "=1+1", "'", `"`, "null"}))
	header := []string{"id"}
	columns := [][]string{make([]string, rows)}
	for row := range rows {
		columns[0][row] = fmt.Sprintf(pick([]string{"%d", "00%d", "%d.0", "%de2", "a,%d", "#%d", `"%d"`, "a\n%d"}), row)
	}
	add := func(name string, values []string) {
		header = append(header, name)
		column := make([]string, rows)
		for row := range column {
			column[row] = pick(values)
		}
		columns = append(columns, column)
	}
	for _, role := range []string{"label", "description", "image"} {
		if rapid.Bool().Draw(t, role) {
			add(role, rapid.SliceOfN(text, 5, 5).Draw(t, "texts"))
		}
	}
	for _, name := range names {
		switch rapid.IntRange(0, 2).Draw(t, "kind") {
		case 0:
			add(name, rapid.SliceOfN(rapid.Custom(drawNumber), 5, 5).Draw(t, "numbers"))
		case 1:
			add(name, []string{"yes", "No", "t", "FALSE"})
		default:
			add(name, rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z][ -~]{0,4}[a-z]`), 2, 4, rapid.ID).Draw(t, "levels"))
		}
	}
	var file strings.Builder
	file.WriteString("sep=|\n")
	for row := -1; row < rows; row++ {
		for k := range columns {
			field := header[k]
			if row >= 0 {
				field = columns[k][row]
			}
			if k > 0 {
				file.WriteByte('|')
			}
			file.WriteString(`"` + strings.ReplaceAll(field, `"`, `""`) + `"`)
		}
		file.WriteByte('\n')
	}
	return file.String()
}

// TestWrittenArmsAreReadAgain: names, kinds and values are what they were, to the letter in CSV;
// in the other formats numbers may be written in another way.
func TestWrittenArmsAreReadAgain(t *testing.T) {
	type example struct {
		encoded *archive.Encoded
		text    string
	}
	examples := rapid.Custom(func(t *rapid.T) example {
		text := drawFile(t)
		arms, err := read.Table(strings.NewReader(text), "arms.csv", catalogue.Options{})
		if err != nil {
			return example{}
		}
		encoded, err := archive.Encode(arms, 0)
		if err != nil {
			return example{}
		}
		return example{encoded, text}
	}).Filter(func(e example) bool { return e.encoded != nil })
	rapid.Check(t, func(t *rapid.T) {
		e := examples.Draw(t, "arms").encoded
		for _, format := range []table.Format{table.CSV, table.JSONLines, table.Parquet} {
			file := writeArms(t, &e.Catalogue, format)
			arms, err := read.Table(strings.NewReader(file), "arms."+string(format), catalogue.Options{})
			if err != nil {
				t.Fatalf("%v: %v\n%s", format, err, file)
			}
			again, err := archive.Encode(arms, 0)
			testsupport.NoError(t, err)
			sameArms(t, format, e, again)
		}
	})
}

func sameArms(t *rapid.T, format table.Format, before, after *archive.Encoded) {
	names := func(e *archive.Encoded) (names []string) {
		for _, a := range e.Attributes {
			names = append(names, a.Name)
		}
		return names
	}
	if !slices.Equal(names(before), names(after)) {
		t.Fatalf("%v: columns %q were %q", format, names(after), names(before))
	}
	for k := range before.Attributes {
		if got, want := after.Attributes[k], before.Attributes[k]; got.Kind != want.Kind || !slices.Equal(got.Numbers, want.Numbers) {
			t.Fatalf("%v: %q is %v and was %v", format, want.Name, got.Kind, want.Kind)
		}
	}
	for arm := range before.Arms.Len() {
		got, want := after.Card(arm), before.Card(arm)
		if got.ID != want.ID || got.Label != want.Label || got.Description != want.Description || got.Image != want.Image {
			t.Fatalf("%v: %q was %q", format, got, want)
		}
		if len(got.Attributes) != len(want.Attributes) {
			t.Fatalf("%v: %q was %q", format, got, want)
		}
		for k, attribute := range want.Attributes {
			column := slices.IndexFunc(before.Attributes,
				func(c catalogue.Column) bool { return c.Name == attribute.Name }) // cards omit missing values
			if got.Attributes[k] != attribute && (format == table.CSV || before.Attributes[column].Kind != catalogue.Number) {
				t.Fatalf("%v: %q was %q", format, got, want)
			}
		}
		if !slices.Equal(after.Arms.Arm(arm), before.Arms.Arm(arm)) {
			t.Fatalf("%v: arm %q is encoded in another way", format, want.ID)
		}
	}
}

// TestColumnsWithNamesOfOthers are written under another name.
func TestColumnsWithNamesOfOthers(t *testing.T) {
	encoded := encodeText(t, "sku,id,withdrawn,attribute:id,size\na,1,2,3,1\nb,2,3,5,1\nc,3,5,4,2\n", "arms.csv",
		catalogue.Options{Kinds: map[string]catalogue.Kind{"sku": catalogue.ID}})
	file := writeArms(t, &encoded.Catalogue, table.CSV,
		archive.ExtraColumn{Name: "withdrawn", Value: func(int) string { return "no" }})
	if header, _, _ := strings.Cut(file, "\n"); header != "id,attribute:id,attribute:withdrawn,attribute:attribute:id,size,withdrawn" {
		t.Error(header)
	}
}

// TestFormulasAreNone: no text of an arm is a formula in a spreadsheet, and all come back as they were.
func TestFormulasAreNone(t *testing.T) {
	encoded := encodeText(t, "id,label,=size\n@a,=HYPERLINK(1),-1\n-2,'+x,+2\nc, -y,4\n", "arms.csv", catalogue.Options{})
	file := writeArms(t, &encoded.Catalogue, table.CSV)
	if want := "id,label,'=size\n'@a,'=HYPERLINK(1),-1\n-2,'+x,+2\nc,'-y,4\n"; file != want {
		t.Errorf("%q, want %q", file, want)
	}
	again := encodeText(t, file, "arms.csv", catalogue.Options{})
	for arm := range encoded.Arms.Len() {
		if got, want := fmt.Sprint(again.Card(arm)), fmt.Sprint(encoded.Card(arm)); got != want {
			t.Errorf("%s was %s", got, want)
		}
	}
}

// TestProfilesAreListed, but not very many.
func TestProfilesAreListed(t *testing.T) {
	small, err := archive.OpenUpload(uploaded("p.yaml",
		"price: [10.0, 12]\nname: [acme, zenith]\nforbidden: [{price: 12, name: acme}]\n"), catalogue.Options{}, 0)
	testsupport.NoError(t, err)
	if got := writeArms(t, &small.Catalogue,
		table.CSV); got != "id,label,price,name\n\"price=10.0, name=acme\",,10.0,acme\n\"price=10.0, name=zenith\",,10.0,zenith\n\"price=12, name=zenith\",,12,zenith\n" {
		t.Error(got)
	}
	var large strings.Builder
	for k := range 7 {
		fmt.Fprintf(&large, "a%d: [a, b, c, d, e, f, g, h]\n", k)
	}
	many, err := archive.OpenUpload(uploaded("p.yaml", large.String()), catalogue.Options{}, 0)
	testsupport.NoError(t, err)
	var file bytes.Buffer
	if err := archive.WriteArms(&file, &many.Catalogue, table.CSV); err == nil ||
		err.Error() != "there are 2,097,152 profiles, and at most 1,000,000 can be listed" || file.Len() > 0 {
		t.Error(err)
	}
}

// TestFailedWritesOfArmsAreTold, whichever it is.
func TestFailedWritesOfArmsAreTold(t *testing.T) {
	saved := exportedArms(t)
	for _, format := range []table.Format{table.CSV, table.JSONLines, table.Parquet} {
		size := len(writeArms(t, saved, format))
		for room := 0; room < size; room += 7 {
			if err := archive.WriteArms(&small{room}, saved, format); !errors.Is(err, io.ErrShortWrite) {
				t.Fatalf("%v: with room for %d of %d bytes: %v", format, room, size, err)
			}
		}
	}
}

// drawNumber draws a number as people and programs write it.
func drawNumber(t *rapid.T) string {
	x := rapid.Float64Range(-1e9, 1e9).Draw(t, "number")
	return rapid.OneOf(
		rapid.SampledFrom([]string{
			"0", "-0", "-0.00", "007", "+5", ".5", "5.", "1E5", "1e5", "1e+05", "0.1e1", "1e999", "0x1p-2",
			"12.50", "1_0", "9007199254740993", "0.30000000000000004", "1e22", "100000000000000000000000", "4.9e-324",
			"0.000000000000000000000000000000000000000000000001",
		}),
		rapid.Just(fmt.Sprint(x)),
		rapid.Just(strconv.FormatFloat(x, 'f', rapid.IntRange(0, 20).Draw(t, "decimals"), 64)),
		rapid.Just(strconv.FormatFloat(x, 'e', rapid.IntRange(0, 200).Draw(t, "decimals"), 64)),
		rapid.StringMatching(`-?[0-9]{1,20}(\.[0-9]{1,20})?`),
		rapid.StringMatching(`-?[0-9](\.[0-9]{1,20})?e[+-]?[0-9]{1,2}`),
	).Filter(func(text string) bool { _, ok := table.ParseNumber(text); return ok }).Draw(t, "text")
}

// TestNumbersAreKeptAsWritten in CSV and JSON, and so are they once they were saved.
func TestNumbersAreKeptAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := []string{"1.0", "2.00"}
		for range rapid.IntRange(1, 10).Draw(t, "arms") {
			texts = append(texts, drawNumber(t))
		}
		var csv, lines strings.Builder
		csv.WriteString("id,x,y\n")
		for i, text := range texts {
			fmt.Fprintf(&csv, "a%d,%s,%d\n", i, text, i)
			fmt.Fprintf(&lines, `{"id":"a%d","x":%q,"y":%d}`+"\n", i, text, i)
		}
		for name, file := range map[string]string{"arms.csv": csv.String(), "arms.jsonl": lines.String()} {
			arms, err := read.Table(strings.NewReader(file), name, catalogue.Options{})
			testsupport.NoError(t, err)
			for i, text := range texts {
				if got := arms.Column("x").Text(i); got != text {
					t.Errorf("%s: %q was %q", name, got, text)
				}
			}
			encoded, err := archive.Encode(arms, 0)
			if err != nil {
				continue // numbers that are too far apart
			}
			loaded, err := load(save(t, &encoded.Catalogue))
			testsupport.NoError(t, err)
			for i, text := range texts {
				if got := loaded.Card(i).Attributes[0]; got.Name != "x" || got.Value != text {
					t.Errorf("%s: %q was %q", name, got, text)
				}
			}
		}
	})
}

// TestNumbersOfManyBlocks: texts stay with their rows where a file is read in several parts.
func TestNumbersOfManyBlocks(t *testing.T) {
	const rows = 400_000 // a block has 4 MB
	var csv strings.Builder
	csv.WriteString("id,x\n")
	write := func(row int) string {
		if row%1000 == 7 {
			return fmt.Sprintf("+%d", row)
		}
		return strconv.FormatFloat(float64(row)/8, 'f', row%4+3, 64)
	}
	for row := range rows {
		fmt.Fprintf(&csv, "a%d,%s\n", row, write(row))
	}
	arms, err := read.Table(strings.NewReader(csv.String()), "arms.csv", catalogue.Options{})
	testsupport.NoError(t, err)
	x := arms.Column("x")
	for row := range rows {
		if got := x.Text(row); got != write(row) {
			t.Fatalf("row %d is %q, it was %q", row, got, write(row))
		}
	}
}

// TestProtectedSpaces: what an apostrophe protects loses the spaces around it as any other text does, so that the texts of all
// formats are the same.
func TestProtectedSpaces(t *testing.T) {
	arms, err := read.Table(strings.NewReader("id,description\na,' +\nb,'=1\n"), "arms.csv", catalogue.Options{})
	testsupport.NoError(t, err)
	encoded, err := archive.Encode(arms, 0)
	testsupport.NoError(t, err)
	for arm, want := range []string{"+", "=1"} {
		if got := encoded.Card(arm).Description; got != want {
			t.Errorf("arm %d: %q, want %q", arm, got, want)
		}
	}
}
