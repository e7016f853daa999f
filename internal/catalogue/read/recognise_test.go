package read_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/cataloguetest"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/testsupport"
)

// recognised returns the kinds of the columns of a file, by name.
func recognised(t *testing.T, name, content string, kinds map[string]catalogue.Kind) string {
	t.Helper()
	table, err := read.Table(strings.NewReader(content), name, catalogue.Options{Kinds: kinds})
	if err != nil {
		t.Errorf("%.80q: %v", content, err)
		return ""
	}
	var words []string
	for _, c := range table.Columns {
		words = append(words, c.Name+" "+c.Kind.String())
	}
	return strings.Join(words, ", ")
}

func TestRecognise(t *testing.T) {
	eight := "e1,e2,e3,e4,e5,e6,e7,e8"
	for _, test := range []struct {
		text, want string
		kinds      map[string]catalogue.Kind
	}{
		{"ID,x\na,1\n", "ID id, x number", nil},
		{"x,SKU\n1,a\n", "x number, SKU id", nil},
		{"sku,item\na,b\n", "sku shown, item id", nil},
		{"id,sku\n1,2\n", "id id, sku number", nil},
		{"n,x\n7,1\n", "n id, x number", map[string]catalogue.Kind{"n": catalogue.ID}},
		{"id,n,x\n7,8,1\n", "id number, n id, x number", map[string]catalogue.Kind{"n": catalogue.ID}},
		{"id,title,name\na,b,c\n", "id id, title shown, name label", nil},
		{"id,label\na,1\n", "id id, label label", nil},
		{"id,text,description\na,b,c\n", "id id, text shown, description description", nil},
		{"id,text\na,\n", "id id, text description", nil},
		{"id,photo,img\na,b,c.png\n", "id id, photo image, img image", nil},
		{"id,look\na,x/y.JPG?width=3\nb,https://example.org/1.gif\nc,data:image/png;base64\nd,\ne,NA\n", "id id, look image", nil},
		{"id,link\na,https://example.org/1\nb,https://example.org/2\n", "id id, link shown", nil},
		{"id,look\na,y.png\nb,n\nc,n\n", "id id, look category", nil},
		{"id,b\na,yes\nb,No\nc,T\nd,false\n", "id id, b boolean", nil},
		{"id,b\na,yes\nb,no\nc,perhaps\nd,no\n", "id id, b category", nil},
		{"id,b\na,1\nb,0\n", "id id, b boolean", map[string]catalogue.Kind{"b": catalogue.Boolean}},
		{"id,x\na,\nb,NA\n", "id id, x ignored", nil},
		{"id,b\na,ja\nb,Nein\nc,ja\n", "id id, b boolean", nil},
		{"id,new\na,yes\nb,\nc,\nd,yes\ne,\n", "id id, new category", nil},
		{"id,x\na,1\nb,x\nc,x\nd,1\n", "id id, x category", nil},
		{"id,brand\na,x\nb,y\nc,z\nd,x\n", "id id, brand category", nil},
		{"id,model\na,x\nb,\nc,z\nd,NA\n", "id id, model shown", nil},
		{"id,x\na,1\nb,2\n", "id id, x category", map[string]catalogue.Kind{"x": catalogue.Category}},
		{"id,x\na,1\nb,2\n", "id id, x ignored", map[string]catalogue.Kind{"x": catalogue.Ignored}},
		{"id," + eight + "\na,1,2,3,4,5,6,7,8\n", "id id, e embedding", nil},
		{"id,e0,e1,e2,e3,e4,e5,e6,e7\na,1,2,3,4,5,6,7,8\n", "id id, e embedding", nil},
		{
			"id,e2,e3,e4,e5,e6,e7,e8,e9\na,1,2,3,4,5,6,7,8\n",
			"id id, e2 number, e3 number, e4 number, e5 number, e6 number, e7 number, e8 number, e9 number", nil,
		},
		{"id,e1,e2\na,1,2\n", "id id, e1 number, e2 number", nil},
		{"id,e1,e2\na,1,2\n", "id id, e embedding", map[string]catalogue.Kind{"e": catalogue.Embedding}},
		{
			"id," + eight + "\na,1,2,3,4,5,6,7,8\n",
			"id id, e1 number, e2 number, e3 number, e4 number, e5 number, e6 number, e7 number, e8 number",
			map[string]catalogue.Kind{"e": catalogue.Number},
		},
		{"id,e1,e2\na,1,2\n", "id id, e1 ignored, e2 ignored", map[string]catalogue.Kind{"e": catalogue.Ignored}},
	} {
		if got := recognised(t, "a.csv", test.text, test.kinds); got != test.want {
			t.Errorf("%q %v: %s", test.text, test.kinds, got)
		}
	}
}

// TestBracesInTables: a name that says that it is a table goes before a first character that
// could be JSON.
func TestBracesInTables(t *testing.T) {
	for _, name := range []string{"a.csv", "a.tsv", "a.txt", "a.txt.gz"} {
		if got := recognised(t, name, "{x}\tid\n1\ta\n", nil); got != "{x} number, id id" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestNamedImage: the image that respondents see is the one that is called so.
func TestNamedImage(t *testing.T) {
	text := "id,thumb,x,photo\na,s.png,1,NA\nb,t.png,2,https://example.org/b\n"
	for name, kinds := range map[string]map[string]catalogue.Kind{
		"photo": nil, "x": {"x": catalogue.Image},
		"thumb": {"photo": catalogue.Ignored},
	} {
		got, err := read.Table(strings.NewReader(text), "a.csv", catalogue.Options{Kinds: kinds})
		testsupport.NoError(t, err)
		if image := got.First(catalogue.Image); image.Name != name || name == "photo" && image.Texts[0] != "" || len(got.Columns) != 4 {
			t.Errorf("%s: %v", name, got.Columns)
		}
	}
}

// TestCategoryOrFreeText: the number of levels decides.
func TestCategoryOrFreeText(t *testing.T) {
	for _, test := range []struct {
		rows, levels int
		want         string
	}{
		{1, 1, "shown"},
		{2, 1, "category"},
		{4, 3, "category"},
		{4, 4, "label"},
		{10, 8, "category"},
		{10, 9, "label"},
		{22, 19, "category"},
		{23, 20, "category"},
		{24, 21, "shown"},
		{100, 50, "category"},
		{100, 51, "shown"},
		{5000, 50, "category"},
		{5000, 51, "shown"},
	} {
		text := "id,x\n" + rows(test.rows, func(i int) string { return fmt.Sprintf("a%d,k%d", i, i%test.levels) })
		if got := recognised(t, "a.csv", text, nil); got != "id id, x "+test.want {
			t.Errorf("%v: %s", test, got)
		}
	}
}

// TestNumericShare: 51 numbers of 100 make a column one of numbers, 50 do not.
func TestNumericShare(t *testing.T) {
	for others, want := range map[int]string{49: "id id, x number", 50: "id id, x category"} {
		text := "id,x\n" + rows(100, func(i int) string {
			if i < others {
				return fmt.Sprintf("a%d,red", i)
			}
			return fmt.Sprintf("a%d,%d", i, i%7)
		})
		if got := recognised(t, "a.csv", text, nil); got != want {
			t.Errorf("%d texts: %s", others, got)
		}
	}
	none := catalogue.Options{}
	refused(t, "a.jsonl", "{\"id\":1,\"e\":[1,2]}\n{\"id\":2,\"e\":3}\n{\"id\":3,\"e\":[1,2]}\n", none,
		`a.jsonl:2: column "e": "3" is not a list of numbers`)
}

// TestNumbersAsPeopleWriteThem: numbers are read with currencies, units and separators.
func TestNumbersAsPeopleWriteThem(t *testing.T) {
	for _, test := range []struct {
		texts, understood string
		want              []float64
	}{
		{"$10|-$3", "$ removed", []float64{10, -3}},
		{"10 €|9,50 €|1.234,50 €", "€ removed, decimal commas, thousands separators removed", []float64{10, 9.5, 1234.5}},
		{"EUR 9.50|EUR 9", "EUR removed", []float64{9.5, 9}},
		{"£1,234|£999", "£ removed, thousands separators removed", []float64{1234, 999}},
		{"$1,234.50|$2", "$ removed, thousands separators removed", []float64{1234.5, 2}},
		{"₹1,20,000|₹90,000", "₹ removed, thousands separators removed", []float64{120000, 90000}},
		{"1,234.50|1,999.00", "thousands separators removed", []float64{1234.5, 1999}},
		{"1 234|12 345", "thousands separators removed", []float64{1234, 12345}},
		{"1,5|0,125|3", "decimal commas", []float64{1.5, 0.125, 3}},
		{"5%|12.5 %", "% removed", []float64{5, 12.5}},
		{"1.37kg|870 g|2 kg", "in kg", []float64{1.37, 0.87, 2}},
		{"8GB|512 MB|1TB|16GB", "in GB", []float64{8, 0.512, 1000, 16}},
		{"12\"|30.48 cm|13\"", "in \"", []float64{12, 12, 13}},
		{"3 doors|1 door|5 doors", "doors removed", []float64{3, 1, 5}},
		{"-5 °C|+7 °C", "°C removed", []float64{-5, 7}},
		{"1970-01-02|1970-02-01", "dates, in days", []float64{1, 31}},
		{"13/01/1970|02/02/1970", "dates, in days, day before month", []float64{12, 32}},
		{"01/13/1970|02/02/1970", "dates, in days, month before day", []float64{12, 32}},
		{"Jan 2 1970|Jan 11 1970", "dates, in days", []float64{1, 10}},
		{"2.1.1970|11.1.1970", "dates, in days, day before month", []float64{1, 10}},
		{"10 kg|-|unknown|12 kg", "in kg", []float64{10, math.NaN(), math.NaN(), 12}},
	} {
		texts := strings.Split(test.texts, "|")
		var content strings.Builder
		content.WriteString("id\tx\n")
		for i, text := range texts {
			fmt.Fprintf(&content, "a%d\t\"%s\"\n", i, strings.ReplaceAll(text, `"`, `""`))
		}
		got, err := read.Table(strings.NewReader(content.String()), "a.tsv", catalogue.Options{})
		if err != nil {
			t.Errorf("%s: %v", test.texts, err)
			continue
		}
		c := got.Column("x")
		if diff := cmp.Diff(test.want, c.Numbers, cmpopts.EquateApprox(1e-12, 0), cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%s: %s", test.texts, diff)
		}
		if understood := c.Format.String(); understood != test.understood {
			t.Errorf("%s: %s", test.texts, understood)
		}
		for row, text := range texts {
			if written := c.Text(row); written != text && !math.IsNaN(c.Numbers[row]) {
				t.Errorf("%q is shown as %q", text, written)
			}
		}
		if kind := recognised(t, "a.tsv", content.String(),
			map[string]catalogue.Kind{"x": catalogue.Category}); kind != "id id, x category" {
			t.Error(kind)
		}
	}
}

// TestNoNumbers: texts that only look like numbers are not, and neither are several currencies.
func TestNoNumbers(t *testing.T) {
	for _, text := range []string{
		"12 May", "10:30", "4K", "5G", "A4", "3-door", "2 x 4", "v1.2", "1.2.3", "12 angry men", "10-20",
		"$5 off 3",
	} {
		if got := recognised(t, "a.tsv", "id\tx\na\t"+text+"\nb\t"+text+"\n", nil); got != "id id, x category" {
			t.Errorf("%q: %s", text, got)
		}
	}
	if got := recognised(t, "a.tsv", "id\tx\na\t$5\nb\t€5\nc\t$5\n", nil); got != "id id, x category" {
		t.Error(got)
	}
}

// TestAmbiguousComma: 1,234 is 1234 and 1.234 is not, unless decimals take a comma elsewhere in the file.
func TestAmbiguousComma(t *testing.T) {
	for content, want := range map[string]float64{
		"id\tx\na\t1,234\nb\t2,345\n":               1234,
		"id\tx\ty\na\t1,234\t0,5\nb\t2,345\t1,25\n": 1.234,
		"id;x\na;1,234\nb;2,345\n":                  1.234,
		"id\tx\na\t1,234\nb\t2,3\n":                 1.234,
		"id\tx\na\t1,234\nb\t2.5\n":                 1234,
		"id;x\na;1.234\nb;2.345\n":                  1.234,
		"id;x;y\na;1.234;0,5\nb;2.345;1,25\n":       1234,
		"id;x;y\na;1.234 €;0,5\nb;2.345 €;1,25\n":   1234,
		"id;x;y\na;1.234;0,5\nb;2.5;1,25\n":         1.234,
	} {
		got, err := read.Table(strings.NewReader(content), "a.csv", catalogue.Options{})
		if err != nil || got.Column("x").Numbers[0] != want {
			t.Errorf("%q: %v", content, err)
		}
	}
}

// TestMonths: dates can be a category of months.
func TestMonths(t *testing.T) {
	text := "id,d\na,3/12/2016\nb,15/12/2016\nc,\nd,4/02/2017\n"
	got, err := read.Table(strings.NewReader(text), "a.csv",
		catalogue.Options{Kinds: map[string]catalogue.Kind{"d": catalogue.Month}})
	testsupport.NoError(t, err)
	if diff := cmp.Diff([]string{"2016-12", "2016-12", "", "2017-02"}, got.Column("d").Texts); diff != "" {
		t.Error(diff)
	}
	refused(t, "a.csv", "id,d\na,3/12/2016\nb,soon\n", catalogue.Options{Kinds: map[string]catalogue.Kind{"d": catalogue.Date}},
		`a.csv: column "d": its values are not all dates of one format, such as "3/12/2016"`)
}

// TestIDs: ids may have other names; without any, rows are numbered. Other columns of ids are not features.
func TestIDs(t *testing.T) {
	for text, want := range map[string]string{
		"laptop_ID,x\n1,5\n2,6\n":              "laptop_ID id, x number",
		"productId,x\na,5\nb,6\n":              "productId id, x number",
		"x,order id\n5,7\n6,8\n":               "x number, order id id",
		",x\n0,5\n1,6\n":                       "column 1 id, x number",
		",x\n0,5\n0,6\n":                       "column 1 number, x number",
		"id,user_id,x\n1,77,5\n2,88,6\n":       "id id, user_id ignored, x number",
		"brand_id,x\n1,5\n1,6\n":               "brand_id number, x number",
		"grid,x\n1,5\n2,6\n":                   "grid number, x number",
		"x,y\n5,7\n6,8\n":                      "x number, y number",
		"item,x\nsame,5\nsame,6\n":             "item category, x number",
		"sku,product_id,x\nb,2,5\na,1,6\n":     "sku id, product_id ignored, x number",
		"headline\nOne thing\nAnother thing\n": "headline label",
		"id,comment\n1,first\n2,second\n":      "id id, comment label",
		"product,price\nA,1\nA,2\nB,3\nB,1\n":  "product category, price number",
	} {
		if got := recognised(t, "a.csv", text, nil); got != want {
			t.Errorf("%q: %s", text, got)
		}
	}
}

// noted returns the notes on a file.
func noted(t *testing.T, content string, options catalogue.Options) []string {
	t.Helper()
	got, err := read.Table(strings.NewReader(content), "a.csv", options)
	testsupport.NoError(t, err)
	var notes []string
	for _, n := range got.Notes {
		notes = append(notes, fmt.Sprintf("%s|%s|%s", n.Column, n.Text, n.Remedy))
	}
	return notes
}

// TestNotes: what may surprise is said, a line each.
func TestNotes(t *testing.T) {
	series := "id,label" + strings.ReplaceAll(cataloguetest.ColumnNames(8), "c", "q") + "\n" // q0 to q7
	for _, test := range []struct {
		content string
		want    []string
	}{
		{"id,x\n1,5\n2,6\n", []string{"|no column names the options: cards are titled by their ids, such as 1|--as COLUMN=label"}},
		{"x\n5\n6\n", []string{"|no column names the options: cards are titled 1, 2, 3, …|--as COLUMN=label"}},
		{"id,x\na,5\nb,6\n", nil},
		{"id,label,x\n1,A,5\n2,A,6\n3,B,7\n", []string{`label|2 of 3 options share their title with another, such as "A": respondents tell them apart by their attributes only|`}},
		{"id,label,x,y\n1,A,5,\n2,B,,\n3,C,7,\n4,D,8,9\n", []string{
			"y|3 of 4 values are missing (first in line 2): not used|--as y=number",
			"|missing values: options without x (1) get the mean and an indicator|--missing COLUMN=drop",
		}},
		{
			"id,label,c\n1,A,r\n2,B,\n3,C,r\n4,D,s\n",
			[]string{"|missing values: options without c (1) get a level of their own|--missing COLUMN=drop"},
		},
		{
			"id,label,kind\n" + rows(200, func(i int) string { return fmt.Sprintf("%d,L%d,k%d", i, i, i%60) }),
			[]string{"kind|60 different texts: shown, not used|--as kind=category"},
		},
		{"id,label,x\n1,A,10\n2,B,4O\n3,C,30\n", []string{
			`x|not numbers: 1 of 3 values, such as "4O" in line 3; taken as missing|--as x=category`,
			"|missing values: options without x (1) get the mean and an indicator|--missing COLUMN=drop",
		}},
		{"id;label;x\n1;A;1,5\n2;B;2,5\n3;C;2.75\n", []string{
			`x|not numbers: 1 of 3 values, such as "2.75" in line 4; taken as missing|--as x=category`,
			"|missing values: options without x (1) get the mean and an indicator|--missing COLUMN=drop",
		}},
		{
			"id,label,withdrawn\n1,A,no\n2,B,yes\n",
			[]string{"withdrawn|of the study that the options come from: not used|--as withdrawn=boolean"},
		},
		{"No.,label,x\n1,A,5\n2,B,6\n", []string{"No.|numbers the rows: not used|--as No.=number"}},
		{"label,zip\nA,01067\nB,99999\nC,10115\n", []string{"zip|3 different codes: shown, not used|--as zip=category"}},
		{series + "1,A,1,2,3,4,5,1,2,3\n2,B,5,4,3,2,1,5,4,3\n", []string{"q|q0 … q7 are 8 numbers, not an embedding|--as q=embedding"}},
		{
			series + "1,A,.1,-.2,.3,-.4,.5,.1,.2,.3\n2,B,.5,.4,.3,-.2,.1,.5,.4,.3\n",
			[]string{"q|q0 … q7 are one embedding|--as q=number"},
		},
	} {
		if diff := cmp.Diff(test.want, noted(t, test.content, catalogue.Options{})); diff != "" {
			t.Errorf("%.80q: %s", test.content, diff)
		}
	}
}

// TestMissingPolicies: options with missing values can be dropped.
func TestMissingPolicies(t *testing.T) {
	content := "id,label,x,c\n1,A,5,r\n2,B,,r\n3,C,7.50,s\n4,D,8,\n"
	policies := func(policies map[string]catalogue.MissingPolicy) catalogue.Options {
		return catalogue.Options{Missing: policies}
	}
	got, err := read.Table(strings.NewReader(content), "a.csv",
		policies(map[string]catalogue.MissingPolicy{"x": catalogue.DropArms, "c": catalogue.DropArms}))
	testsupport.NoError(t, err)
	if diff := cmp.Diff([]string{"1", "3"}, got.First(catalogue.ID).Texts); diff != "" || got.Column("x").Text(1) != "7.50" ||
		got.Line(1) != 4 {
		t.Error(diff, got.Column("x").Text(1), got.Line(1))
	}
	refused(t, "a.csv", content, policies(map[string]catalogue.MissingPolicy{"c": catalogue.MeanOf, "x": catalogue.OwnLevel}),
		`a.csv: column "x": its missing values cannot be handled by level: it is of kind number`,
		`a.csv: column "c": its missing values cannot be handled by mean: it is of kind category`)
	refused(t, "a.csv", "id,x,y\n1,5,\n2,,7\n",
		policies(map[string]catalogue.MissingPolicy{"x": catalogue.DropArms, "y": catalogue.DropArms}),
		"a.csv: every option has a missing value in a column whose options are dropped")
}

// TestRowNumbersAndCodes: row numbers, codes and lists are never features.
func TestRowNumbersAndCodes(t *testing.T) {
	numbered := func(name string, first int) string {
		return name + ",label,x\n" + rows(10, func(i int) string { return fmt.Sprintf("%d,L%d,%d", i+first, i, i*i) })
	}
	for text, want := range map[string]string{
		numbered("rank", 1):                        "rank ignored, label label, x number",
		numbered("rank", 0):                        "rank ignored, label label, x number",
		numbered("rank", 2):                        "rank number, label label, x number",
		numbered("", 0):                            "column 1 id, label label, x number",
		numbered("id", 1):                          "id id, label label, x number",
		",id,x\n0,7,5\n1,8,6\n":                    "column 1 ignored, id id, x number",
		"rownames,id,x\n8,7,5\n3,8,6\n":            "rownames ignored, id id, x number",
		"rownames,x\n8,5\n3,6\n":                   "rownames id, x number",
		"Unnamed: 0,x\n0,5\n1,6\n":                 "Unnamed: 0 ignored, x number",
		"X,x\n1,5\n2,6\n":                          "X ignored, x number",
		"x,X\n1,5\n2,6\n":                          "x number, X number",
		"index,x\n1.5,5\n2.5,6\n":                  "index number, x number",
		"rownames,x\nMazda,5\nDatsun,6\n":          "rownames label, x number",
		"id,x\na,007\nb,015\n":                     "id id, x shown",
		"id,x\na,007\nb,15\n":                      "id id, x number",
		"id,x\na,+7\nb,+15\n":                      "id id, x shown",
		"id,x\na,+7\nb,-15\n":                      "id id, x number",
		"id,Postcode\na,3067.0\nb,\nc,3068.0\n":    "id id, Postcode shown",
		"id,area code\na,30\nb,30\nc,40\n":         "id id, area code shown",
		"id,code\na,0.5\nb,1.5\n":                  "id id, code number",
		"id,withdrawn,x\na,false,1\nb,false,7\n":   "id id, withdrawn ignored, x number",
		"id,withdrawn,x\na,3,1\nb,5,7\n":           "id id, withdrawn number, x number",
		"id,withdrawn,x\na,mostly,1\nb,mostly,7\n": "id id, withdrawn category, x number",
		"sku,product id,row,x\na,1,4,1\nb,2,5,7\n": "sku id, product id ignored, row ignored, x number",
	} {
		if got := recognised(t, "a.csv", text, nil); got != want {
			t.Errorf("%q: %s", text, got)
		}
	}
	kinds := map[string]catalogue.Kind{"rank": catalogue.Number}
	if got := recognised(t, "a.csv", numbered("rank", 1), kinds); got != "rank number, label label, x number" {
		t.Error(got)
	}
}
