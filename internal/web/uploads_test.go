package web_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"bestpick/client"
	"bestpick/internal/access"
	"bestpick/internal/browser"
	"bestpick/internal/catalogue/cataloguetest"
	"bestpick/internal/picture"
	"bestpick/internal/testsupport"
	"bestpick/internal/web"
	"bestpick/wire"
)

// visit returns a client with a session, without a browser.
func (s *stage) visit(secret string) *http.Client {
	s.Helper()
	jar := testsupport.Value(cookiejar.New(nil)).OrFail(s)
	c := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	status, _, _ := s.send(c, "/sign-in", "application/x-www-form-urlencoded",
		strings.NewReader(url.Values{"token": {secret}}.Encode()))
	if status != http.StatusSeeOther {
		s.Fatalf("signing in replies with %d", status)
	}
	return c
}

func (s *stage) send(c *http.Client, path, kind string, body io.Reader) (status int, location, text string) {
	s.Helper()
	r := testsupport.Value(http.NewRequestWithContext(s.Context(), http.MethodPost, s.url+path, body)).OrFail(s)
	r.Header.Set("Content-Type", kind)
	if path == "/new" {
		r.Header.Set("X-Part", "created")
	}
	reply, err := c.Do(r)
	testsupport.NoError(s, err)
	defer func() { _ = reply.Body.Close() }()
	all := testsupport.Value(io.ReadAll(reply.Body)).OrFail(s)
	return reply.StatusCode, reply.Header.Get("Location"), string(all)
}

// A sentFile is a file in a form.
type sentFile struct{ field, name, text string }

// create submits the form of a new study like JavaScript, and returns its location or its problems.
func (s *stage) create(c *http.Client, fields map[string]string, files ...sentFile) (location string,
	problems map[string]string,
) {
	s.Helper()
	status, _, text := s.sendForm(c, "/new", fields, files...)
	var reply struct {
		Location string            `json:"location"`
		Problems map[string]string `json:"problems"`
	}
	if err := json.Unmarshal([]byte(text), &reply); err != nil || status != http.StatusOK {
		s.Fatalf("%d %.200s", status, text)
	}
	return reply.Location, reply.Problems
}

// sendForm submits a form with files.
func (s *stage) sendForm(c *http.Client, path string, fields map[string]string, files ...sentFile) (status int, location,
	text string,
) {
	s.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name, value := range fields {
		s.must(form.WriteField(name, value))
	}
	for _, file := range files {
		part := testsupport.Value(form.CreateFormFile(file.field, file.name)).OrFail(s)
		testsupport.Value(io.WriteString(part, file.text)).OrFail(s)
	}
	s.must(form.Close())
	return s.send(c, path, form.FormDataContentType(), &body)
}

func packed(s *stage, text string) string {
	s.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	testsupport.Value(io.WriteString(w, text)).OrFail(s)
	s.must(w.Close())
	return out.String()
}

// fourVectors returns a .npy file of four vectors with two numbers each.
func fourVectors() string {
	const dictionary = "{'descr': '<f8', 'fortran_order': False, 'shape': (4, 2), }\n"
	file := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(dictionary)))
	file, _ = binary.Append(append(file, dictionary...), binary.LittleEndian,
		[]float64{1, 2, 3, 5, 8, 13, 21, 35}) // numbers have a fixed size
	return string(file)
}

// TestUploads: studies can be created from all formats, and problems are reported at the field of
// their file.
func TestUploads(t *testing.T) {
	s := begin(t)
	c := s.visit(s.owner.Token)
	const field, ids, pasted = "catalogue", "ids", "table"
	for _, test := range []struct {
		what  string
		table string
		files []sentFile
		wrong string // the field with a problem
		says  string
	}{
		{what: "CSV", files: []sentFile{{field, "lamps.csv", lamps()}}},
		{what: "packed CSV", files: []sentFile{{field, "lamps.csv.gz", packed(s, lamps())}}},
		{what: "JSON Lines", files: []sentFile{{field, "a.jsonl", "{\"id\":1,\"x\":1}\n{\"id\":2,\"x\":3}\n{\"id\":3,\"x\":4}\n"}}},
		{what: "npy", files: []sentFile{{field, "e.npy", fourVectors()}, {ids, "e.txt", "a\nb\nc\nd\n"}}},
		{what: "Excel", files: []sentFile{{field, "a.xlsx", cataloguetest.WorkbookFile(t,
			[][]any{{"id", "x"}, {1, 1}, {2, 3}, {3, 4}})}}},
		{what: "attributes", files: []sentFile{{field, "a.yaml", "price: [10, 12, 15]\nbrand: [acme, zenith]\n"}}},
		{what: "semicolons", table: "id;x\n1;1\n2;3\n3;4\n"},
		{what: "a file counts", table: "nonsense", files: []sentFile{{field, "lamps.csv", lamps()}}},
		{what: "nothing", wrong: field, says: "Choose a file, or paste a table."},
		{what: "blanks", table: " \n\t", wrong: field, says: "Choose a file, or paste a table."},
		{what: "npy without ids", files: []sentFile{{field, "e.npy", fourVectors()}}},
		{
			what: "npy with too few ids", files: []sentFile{{field, "e.npy", fourVectors()}, {ids, "e.txt", "a\nb\n"}}, wrong: field,
			says: "there are 4 rows, but 2 IDs",
		},
		{
			what: "npy with an id twice", files: []sentFile{{field, "e.npy", fourVectors()}, {ids, "e.txt", "a\nb\na\nc\n"}}, wrong: ids,
			says: "already",
		},
		{what: "no id", table: "name,x\na,1\nb,2\n"},
		{what: "names only", table: "headline\nOne\nTwo\nThree\n"},
		{what: "human numbers", table: "id,x\n1,$10\n2,$20\n3,$30\n"},
		{what: "a typing error", table: "id,x\n1,10\n2,2O\n3,30\n"},
		{what: "an id twice", table: "id,x\n1,10\n1,20\n3,30\n", wrong: pasted, says: "; or leave the column out"},
		{what: "no table", files: []sentFile{{field, "x.csv", "\x00\x01\x02"}}, wrong: field, says: "the file is not text"},
		{
			what: "a spreadsheet", files: []sentFile{{field, "x.xlsx", "PK\x03\x04...."}}, wrong: field,
			says: "the ZIP archive is damaged",
		},
		{
			what: "a long row", files: []sentFile{{field, "x.csv", "id,x\n1," + strings.Repeat("1", 5<<20)}}, wrong: field,
			says: "the row is longer than 4 MB",
		},
		{
			what: "many rows", files: []sentFile{{field, "x.csv.gz", cataloguetest.GzipBomb("id,x\n", "1,1\n", 8<<20)}}, wrong: field,
			says: "the file has more than 200,000 rows",
		},
		{what: "a long name", files: []sentFile{{field, strings.Repeat("x", 300) + ".csv", lamps()}}, wrong: field, says: "too long"},
		{what: "one arm", table: "id,x\n1,1\n", wrong: pasted},
		{
			what: "many problems", table: "id,a,a,b,b,c,c,d,d,e,e,f,f\n1,1,1,1,1,1,1,1,1,1,1,1,1\n", wrong: pasted,
			says: "And 1 more.",
		},
	} {
		t.Run(test.what, func(t *testing.T) {
			location, problems := s.create(c, map[string]string{
				"name": test.what, "k": "2", "picks": "1", "delta": "0.05",
				"epsilon": "0", "table": test.table,
			}, test.files...)
			if test.wrong == "" {
				if !strings.HasPrefix(location, "/studies/") || len(problems) > 0 {
					t.Errorf("%q, %v", location, problems)
				}
				return
			}
			if location != "" || len(problems) != 1 || !strings.Contains(problems[test.wrong], test.says) ||
				problems[test.wrong] == "" || strings.Contains(problems[test.wrong], "--") {
				t.Errorf("%q, %q", location, problems)
			}
		})
	}
	if status, _, _ := s.send(c, "/new", "multipart/form-data; boundary=x",
		strings.NewReader("--y")); status != http.StatusBadRequest {
		t.Errorf("no form: %d", status)
	}
	if status, _, _ := s.send(s.visit(s.token("Vera", access.Viewer)), "/new", "multipart/form-data; boundary=x",
		strings.NewReader("--x--")); status != http.StatusForbidden {
		t.Errorf("a viewer: %d", status)
	}
	if status, location, _ := s.send(&http.Client{CheckRedirect: c.CheckRedirect}, "/new", "multipart/form-data; boundary=x",
		strings.NewReader("--x--")); status != http.StatusSeeOther || location != "/sign-in" {
		t.Errorf("without a session: %d %s", status, location)
	}
}

// sheets: an owner drops or pastes a sheet as it is, and respondents see the headlines on the cards, with
// the attributes that the sheet has.
func sheets(s *stage, b *browser.Browser) {
	all := cataloguetest.Headlines()
	names := all.Only(1)
	owner, respondent := b.Open(s.T, browser.Desktop()), b.Open(s.T, browser.Phone())
	s.enter(owner, s.owner.Token, "/new", "New study")
	for _, c := range []struct {
		sheet         cataloguetest.Sheet
		file, content string
	}{
		{all, "deutsch.csv", all.German(s.T)},
		{all, "sheet.xlsx", all.Workbook(s.T)},
		{all, "sheet.json", all.JSON(s.T)},
		{all, "", all.Text("\t", ",", "\n")},
		{names, "", names.Text("\t", ",", "\n")},
	} {
		owner.Go(s.url + "/new")
		owner.WaitText("h1", "New study")
		owner.Wait("document.documentElement.classList.contains('scripted')")
		if c.file != "" {
			owner.Drop("#drop", s.file(c.file, c.content))
		} else {
			fill(owner, "#table", c.content)
		}
		owner.WaitText("#recognised h3", "24 options")
		fill(owner, "#name", "Headlines")
		press(owner, "button[value=open]")
		respondent.Go(s.page(s.created(owner).ID))
		shown(respondent, 1)
		s.headlines(respondent, c.sheet)
	}
}

// headlines checks the cards of the question in a window.
func (s *stage) headlines(w *browser.Window, sheet cataloguetest.Sheet) {
	s.Helper()
	cards := browser.Eval[[]struct {
		Arm, Text  string
		Attributes int
		Picture    bool
	}](w, `[...document.querySelectorAll('#stage .card')].map((card) => ({
		Arm: card.dataset.arm, Text: card.textContent, Attributes: card.querySelectorAll('dt').length, Picture: card.querySelector('img') !== null,
	}))`)
	if len(cards) < 2 {
		s.Errorf("%d cards", len(cards))
	}
	for _, card := range cards {
		var row int
		if _, err := fmt.Sscan(card.Arm, &row); err != nil {
			s.Errorf("%q is no number of a row", card.Arm)
			continue
		}
		if !strings.Contains(card.Text, cataloguetest.Headline(row-1)) || card.Attributes != max(0, len(sheet.Columns)-2) ||
			card.Picture != (len(sheet.Columns) > 1) {
			s.Errorf("the card of row %d is %+v", row, card)
		}
	}
}

// prior: on the form of a study with earlier answers, majority is disabled, with the reason. A request for it is refused,
// with the reason at the field.
func prior(s *stage, b *browser.Browser) {
	id := s.draft("id,x\na,1\nb,2\nc,4\n", wire.Settings{K: 2, Assume: "linear"})
	_, err := s.owner.SetPrior(s.Context(), id, 0, client.File{
		Name:     "answers.csv",
		Contents: strings.NewReader("shown_1,shown_2,pick_1\na,b,a\nb,c,b\n"),
	})
	s.must(err)
	w := b.Open(s.T, browser.Phone())
	s.signIn(w, s.secret)
	w.Go(s.results(id) + "/edit")
	w.Wait("document.querySelector('[name=assume][value=majority]').disabled")
	w.WaitText("#decided", "We decide by attributes and are 95% sure of the result. Majority is not available: this study uses earlier answers.")
	browser.Eval[bool](w,
		"(document.querySelector('[name=assume][value=majority]').disabled = false, "+
			"document.querySelector('[name=assume][value=majority]').checked = true)")
	w.Expect("422")
	press(w, "button[value=keep]")
	w.WaitText("#assume-problem", "Majority is not available: this study uses earlier answers.")
}

// TestPriorPage: an owner uploads earlier answers for a draft, sees how many choices were read, and
// removes them. Files with problems change nothing.
func TestPriorPage(t *testing.T) {
	t.Parallel()
	s := begin(t)
	id, c := s.draft("id,x\na,1\nb,2\nc,4\n", wire.Settings{K: 2}), s.visit(s.secret)
	page := "/studies/" + id
	shows := func(path string, want bool, texts ...string) {
		t.Helper()
		_, text := s.ask(http.MethodGet, path, s.secret, nil)
		for _, part := range texts {
			if strings.Contains(text, part) != want {
				t.Errorf("%s shows %q: %v", path, part, !want)
			}
		}
	}
	shows(page, true, `id="do-prior"`)
	shows(page+"/prior", true, "Use earlier answers", `type="file"`)
	shows(page+"/prior", false, `id="remove-prior"`)
	for text, want := range map[string]string{
		"shown_1,shown_2,pick_1\na,z,a\nz,y,z\n": "there is no option “z”",
		"":                                       "Choose a file",
	} {
		if status, _, got := s.sendForm(c, page+"/prior",
			map[string]string{"version": "1", "pasted": text}); status != http.StatusUnprocessableEntity || !strings.Contains(got, want) {
			t.Errorf("%d, want %q", status, want)
		}
	}
	if status, _, _ := s.sendForm(c, page+"/prior", map[string]string{
		"version": "7",
		"pasted":  "shown_1,shown_2,pick_1\na,b,a\n",
	}); status != http.StatusConflict {
		t.Errorf("another version: %d", status)
	}
	status, location, _ := s.sendForm(c, page+"/prior", map[string]string{"version": "1"},
		sentFile{"file", "answers.csv", "shown_1,shown_2,pick_1\na,b,a\nb,c,b\n"})
	if status != http.StatusSeeOther || !strings.HasSuffix(location, "did=prior") {
		t.Errorf("%d %s", status, location)
	}
	shows(page+"?did=prior", true, "guide the questions", "2 choices")
	shows(page+"/prior", true, `id="remove-prior"`, "2 earlier choices")
	if status, text := s.ask(http.MethodPost, page+"/remove-prior", s.secret,
		url.Values{"version": {"2"}}); status != http.StatusSeeOther {
		t.Errorf("%d %.200s", status, text)
	}
	shows(page, false, "2 choices")
	if got := s.recorded(id); got != "set-prior remove-prior" {
		t.Errorf("the audit log has %s", got)
	}
	shows("/studies/"+s.draft(lamps(), wire.Settings{Assume: "majority"}), false, `id="do-prior"`)
}

// TestUploadedPictures: pictures that come with a table, beside it or in a ZIP archive, are on the cards, and served
// so that browsers keep them and run nothing.
func TestUploadedPictures(t *testing.T) {
	s := begin(t)
	c := s.visit(s.owner.Token)
	const csv = "id,image,x\n1,a.png,1\n2,b.png,3\n3,c.png,4\n"
	a, b := cataloguetest.PNG(t, 10), cataloguetest.PNG(t, 200)
	for what, files := range map[string][]sentFile{
		"beside": {{"catalogue", "t.csv", csv}, {"pictures", "a.png", a}, {"pictures", "b.png", b}},
		"ZIP":    {{"catalogue", "t.zip", cataloguetest.ZIP(t, map[string]string{"t.csv": csv, "in/a.png": a, "b.png": b})}},
	} {
		location, problems := s.create(c, map[string]string{
			"name": what, "k": "3", "picks": "1", "delta": "0.05", "epsilon": "0",
			"then": "open",
		}, files...)
		address, is := strings.CutPrefix(location, "/studies/")
		id, _, _ := strings.Cut(address, "/")
		if !is || len(problems) > 0 {
			t.Fatalf("%s: %q, %v", what, location, problems)
		}
		page := got(t, s.page(id), http.Header{})
		if n := strings.Count(page, `src="/s/`+id+`/pictures/`); n != 2 {
			t.Errorf("%s: %d pictures in %s", what, n, page)
		}
		_, after, _ := strings.Cut(page, `src="/s/`+id+`/pictures/`)
		hash, _, _ := strings.Cut(after, `"`)
		h := http.Header{}
		content := got(t, s.page(id)+"/pictures/"+hash, h)
		if _, format, err := image.Decode(strings.NewReader(content)); err != nil || "image/"+format != h.Get("Content-Type") {
			t.Errorf("%s: %v, %s", what, err, h.Get("Content-Type"))
		}
		if h.Get("Cache-Control") != "public, max-age=31536000, immutable" || h.Get("X-Content-Type-Options") != "nosniff" ||
			h.Get("Content-Security-Policy") != "default-src 'none'; sandbox" {
			t.Errorf("%s: %v", what, h)
		}
	}
	if _, problems := s.create(c, map[string]string{"name": "x", "k": "3", "picks": "1"}, sentFile{"catalogue", "t.csv", csv},
		sentFile{"pictures", "a.png", "<svg/>"}); !strings.Contains(problems["catalogue"],
		"the file is not a JPEG, PNG, GIF or WebP picture") {
		t.Errorf("%v", problems)
	}
	if text := got(t, s.page("none")+"/pictures/"+strings.Repeat("0", 32), http.Header{}); !strings.HasPrefix(text, "404") {
		t.Error(text)
	}
}

// got returns the body of a page, and copies its headers.
func got(t *testing.T, address string, headers http.Header) string {
	t.Helper()
	r := testsupport.Value(http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)).OrFail(t)
	reply, err := http.DefaultClient.Do(r)
	testsupport.NoError(t, err)
	content, err := io.ReadAll(reply.Body)
	testsupport.NoError(t, errors.Join(err, reply.Body.Close()))
	maps.Copy(headers, reply.Header)
	return string(content)
}

// brokenPictures: an owner who sets up a study is warned of pictures that cannot be loaded, and the preview shows
// neither the browser's icon of a broken picture nor a gap.
func brokenPictures(s *stage, b *browser.Browser) {
	server := httptest.NewServer(web.Handler(s.studies, web.Options{
		Tokens: s.store, Audit: s.store,
		Pictures: picture.NewLinks(false),
	}))
	s.Cleanup(server.Close)
	w := b.Open(s.T, browser.Desktop())
	w.Expect("net::ERR")
	w.Cookie(server.URL, "session", s.session(s.secret))
	w.Go(server.URL + "/new")
	broken := strings.Replace(drawn(), "data:image/svg+xml,", "https://127.0.0.1:9/", 1)
	w.Upload("#catalogue", s.file("lamps.csv", broken))
	w.Wait("document.querySelector('.warnings li')?.innerText.startsWith('1 of 6 pictures cannot be loaded: https://127.0.0.1:9/')")
	w.Wait("(document.querySelector('#preview iframe')?.srcdoc.match(/class=\"card\"/g) ?? []).length === 3")
}
