package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rogpeppe/go-internal/testscript"

	"bestpick/client"
	"bestpick/cmd/bestpick/command"
	"bestpick/cmd/bestpick/simulation"
	"bestpick/internal/approx"
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/cataloguetest"
	"bestpick/internal/store"
	"bestpick/internal/study"
	"bestpick/internal/study/overview"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/wiring"
	"bestpick/internal/table"
	"bestpick/internal/testsupport"
	"bestpick/serve"
	"bestpick/strategy/racing"
)

var updateTables = flag.Bool("update-tables", false, "write the reports of TestRealTables")

// TestRealTables: real product tables are read without flags, and their reports are as expected, with
// at most ten lines of notes each.
func TestRealTables(t *testing.T) {
	const maxNotes = 10
	for _, name := range []string{"laptops.csv", "corolla.csv", "housing-melbourne.csv", "cars.json", "movies.json"} {
		t.Run(name, func(t *testing.T) {
			path := testsupport.DataPath(t, filepath.Join("tables", name))
			var out bytes.Buffer
			c := catalogueCommand{File: path, estimateFlags: estimateFlags{
				K: 3, Each: 10, Delta: 0.05, Epsilon: 0.2, Fakes: 2,
			}}
			testsupport.NoError(t, c.Run(command.Streams{Out: &out, Err: &out}))
			got := strings.ReplaceAll(out.String(), path, name)
			notes := 0
			for line := range strings.Lines(got) {
				if strings.HasPrefix(line, "note ") || strings.HasPrefix(line, "warning ") || strings.HasPrefix(line, "left out ") {
					notes++
				}
			}
			if notes > maxNotes {
				t.Errorf("%d lines of notes", notes)
			}
			golden := filepath.Join("testdata", "tables", name+".txt")
			if *updateTables {
				testsupport.NoError(t, os.WriteFile(golden, []byte(got), 0o600))
			}
			want := testsupport.Value(os.ReadFile(golden)).OrFail(t)
			if diff := gocmp.Diff(string(want), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestWriteFileModes: a new file has the default permissions; a replaced file keeps its permissions.
func TestWriteFileModes(t *testing.T) {
	folder := t.TempDir()
	mode := func(name string) os.FileMode {
		info := testsupport.Value(os.Stat(filepath.Join(folder, name))).OrFail(t)
		return info.Mode()
	}
	write := func(w io.Writer) error {
		_, err := io.WriteString(w, "arms")
		return err
	}
	testsupport.NoError(t, os.WriteFile(filepath.Join(folder, "usual"), nil, 0o666))
	if err := command.WriteFile(filepath.Join(folder, "new"), write); err != nil || mode("new") != mode("usual") {
		t.Errorf("%v, the mode is %v, usually %v", err, mode("new"), mode("usual"))
	}
	testsupport.NoError(t, os.Chmod(filepath.Join(folder, "new"), 0o640))
	before := mode("new")
	if err := command.WriteFile(filepath.Join(folder, "new"), write); err != nil || mode("new") != before {
		t.Errorf("%v, the mode is %v and was %v", err, mode("new"), before)
	}
	failure := errors.New("no")
	fail := func(io.Writer) error { return failure }
	if err := command.WriteFile(filepath.Join(folder, "failed"), fail); !errors.Is(err, failure) {
		t.Error(err)
	}
	if files, err := os.ReadDir(folder); err != nil || len(files) != 2 {
		t.Errorf("%v, files %v", err, files)
	}
}

// lamps is the script command "lamps DATABASE STATE": it makes a database with a study in a state.
func lamps(ts *testscript.TestScript, negated bool, arguments []string) {
	if negated || len(arguments) != 2 {
		ts.Fatalf("usage: lamps database state")
	}
	ts.Check(keepLamps(context.Background(), ts.MkAbs(arguments[0]), study.State(arguments[1])))
}

// keepLamps makes a database with the study lamps, which has five answers and ends in a state.
func keepLamps(ctx context.Context, path string, state study.State) (err error) {
	store, err := store.Open(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	arms, err := archive.Open("../../examples/lamps.csv", catalogue.Options{}, 0)
	if err != nil {
		return err
	}
	var saved bytes.Buffer
	if err := archive.Save(&saved, &arms.Catalogue); err != nil {
		return err
	}
	now := time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)
	settings := study.Settings{Strategy: racing.Settings{K: 3}, Grace: -1}
	st := study.Study{
		ID: "lamps", Name: "Lamps", Settings: settings.WithDefaults(), State: study.Open, Version: 1, Created: now,
		Changed: now,
	}
	if err := store.Create(ctx, st, saved.Bytes()); err != nil {
		return err
	}
	service, err := wiring.New(ctx, store, wiring.Options{Name: "test", Clock: func() time.Time { return now }})
	if err != nil {
		return err
	}
	if err := answerFive(ctx, service); err != nil || state == study.Open {
		return err
	}
	_, err = service.Owner.SetState(ctx, st.ID, owner.Any, state)
	return err
}

func answerFive(ctx context.Context, service *wiring.Service) error {
	planner := service.Planning.Planner("lamps")
	for range 5 {
		if _, err := planner.Step(ctx); err != nil {
			return err
		}
		lease, err := service.Dispatch.Ask(ctx, "lamps", "anna", "")
		if err != nil {
			return err
		}
		if err := service.Dispatch.Answer(ctx, lease.Ticket, []int{1}); err != nil {
			return err
		}
	}
	return planner.Resign(ctx)
}

// TestConjointWalkThrough goes the way of docs/conjoint.md: what the camera study says is what
// examples/camera-utilities.csv holds, and a study of the profiles with these utilities finds the
// camera with the best level of every attribute.
func TestConjointWalkThrough(t *testing.T) {
	names := map[string]string{
		"canon": "brand=canon", "sony": "brand=sony", "nikon": "brand=nikon", "panasonic": "brand=panasonic", "pixels": "pixels=high",
		"zoom": "zoom=long", "video": "video=high", "swivel": "swivel", "wifi": "wifi", "price": "price",
	}
	report := fitJSON(t, testsupport.DataPath(t, "camera.csv"), "--features",
		"canon,sony,nikon,panasonic,pixels,zoom,video,swivel,wifi,price", "--respondent", "respondent")
	if report.Tasks != 5312 {
		t.Errorf("%d tasks", report.Tasks)
	}
	own, err := simulation.InstanceFlags{
		Catalogue: "../../examples/camera.yaml", Utilities: "../../examples/camera-utilities.csv",
	}.Make()
	testsupport.NoError(t, err)
	utilities := map[string]float64{}
	for _, parameter := range report.Parameters {
		utilities[names[parameter.Name]] = parameter.Estimate
	}
	fitted := testsupport.Value(own.Encoding.Theta(utilities)).OrFail(t)
	truth := own.Encoding.Effects(fitted)
	for i, effect := range own.Encoding.Effects(own.Theta) {
		approx.Equal(t, effect.String(), effect.Utility, truth[i].Utility, 6e-4)
	}
	var out, errOut bytes.Buffer
	arguments := []string{
		"simulate", "--catalogue", "../../examples/camera.yaml", "--utilities",
		"../../examples/camera-utilities.csv", "--k", "4", "--runs", "1", "--epsilon", "2", "--json",
	}
	if status := run(arguments, strings.NewReader(""), &out, &errOut); status != 0 {
		t.Fatalf("exit status %d: %s", status, errOut.String())
	}
	var study struct {
		Certified int    `json:"certified"`
		Correct   int    `json:"correct"`
		Best      string `json:"best"`
	}
	testsupport.NoError(t, json.Unmarshal(out.Bytes(), &study))
	if study.Certified != 1 || study.Correct != 1 ||
		study.Best != "brand=canon, pixels=high, zoom=long, video=high, swivel=yes, wifi=yes, price=0.79" {
		t.Errorf("%d certified, %d correct, best %s", study.Certified, study.Correct, study.Best)
	}
}

// TestJSONFlag: every command has --json, unless it has no result to report.
func TestJSONFlag(t *testing.T) {
	without := []string{"serve", "healthcheck", "worker", "engine", "help", "completion", "man", "complete", "token revoke"}
	var c commands
	parser := testsupport.Value(kong.New(&c)).OrFail(t)
	for _, node := range parser.Model.Leaves(false) {
		has := slices.Contains(flagNames(node), "--json")
		if path := strings.TrimPrefix(node.Path(), parser.Model.Name+" "); has == slices.Contains(without, path) {
			t.Errorf("%s: --json is %v", path, has)
		}
	}
}

// TestJSONDocuments: with --json, the commands that copy studies, ask and create tokens print one JSON document and
// nothing else.
func TestJSONDocuments(t *testing.T) {
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	id := newStudyFile(t, at("studies.db"))
	for _, step := range []struct {
		arguments string
		want      map[string]any
	}{
		{"backup --database studies.db --out backup.db", map[string]any{
			"from": at("studies.db"), "to": at("backup.db"),
			"studies": 1.0, "outcomes": 0.0,
		}},
		{
			"restore backup.db --database restored.db --keep-tokens",
			map[string]any{"from": at("backup.db"), "to": at("restored.db"), "studies": 1.0},
		},
		{"move ID --from studies.db --to moved.db --delete", map[string]any{
			"study": id, "name": "Letters", "state": "draft",
			"to": at("moved.db"), "deleted": true,
		}},
		{"token add Zoë --role viewer --database moved.db", map[string]any{"name": "Zoë", "role": "viewer"}},
		{"ask ../../examples/lamps.csv --answers answers.jsonl", map[string]any{
			"status": "asking", "answers": 2.0,
			"file": at("answers.jsonl"),
		}},
	} {
		arguments := strings.Fields(strings.ReplaceAll(step.arguments, "ID", id))
		for i, argument := range arguments {
			if i > 0 && (strings.HasSuffix(argument, "db") || strings.HasSuffix(argument, "jsonl")) {
				arguments[i] = at(argument)
			}
		}
		var out, errOut bytes.Buffer
		if status := run(append(arguments, "--json"), strings.NewReader("1\n2\nq\n"), &out, &errOut); status != command.ExitOK {
			t.Fatalf("%s: exit status %d, %s", step.arguments, status, errOut.String())
		}
		var got map[string]any
		if err := json.Unmarshal(out.Bytes(), &got); err != nil {
			t.Fatalf("%s: %v in %s", step.arguments, err, out.String())
		}
		for field, want := range step.want {
			if got[field] != want {
				t.Errorf("%s: %s is %v, want %v", step.arguments, field, got[field], want)
			}
		}
	}
}

// newStudyFile creates a database file with a draft, and returns the ID of the draft.
func newStudyFile(t *testing.T, path string) string {
	t.Helper()
	service := testsupport.Value(serve.New(t.Context(), path, serve.Options{})).OrFail(t)
	server := httptest.NewServer(service)
	defer func() {
		server.Close()
		service.EndStreams()
		if err := service.Close(); err != nil {
			t.Error(err)
		}
	}()
	secret := testsupport.Value(service.AddOwner(t.Context(), "owner")).OrFail(t)
	owner := &client.Client{URL: server.URL, Token: secret}
	created, err := owner.Create(t.Context(), client.NewStudy{
		Name:      "Letters",
		Catalogue: client.File{Name: "letters.csv", Contents: strings.NewReader("id,x\na,1\nb,2\nc,3\n")},
	})
	testsupport.NoError(t, err)
	return created.Study.ID
}

// TestTenTables: of tables as R, pandas and web services write them, no row number, code or list becomes a feature, and
// no table is refused.
func TestTenTables(t *testing.T) {
	const n = 12
	written := func(header string, row func(i int) string) string {
		var text strings.Builder
		text.WriteString(header + "\n")
		for i := range n {
			text.WriteString(row(i) + "\n")
		}
		return text.String()
	}
	objects := func(object func(i int) string) string {
		var all []string
		for i := range n {
			all = append(all, object(i))
		}
		return "[" + strings.Join(all, ",") + "]"
	}
	size := func(i int) int { return (7*i*i + 3) % 41 }
	colour := func(i int) string { return []string{"red", "blue", "green"}[size(i)%3] }
	for name, test := range map[string]struct{ text, want string }{
		"iris.csv": { // R, write.csv
			written(`"","Sepal.Length","Sepal.Width","Species"`, func(i int) string {
				return fmt.Sprintf(`"%d",%d.1,%d.5,"%s"`, i+1, size(i), size(i+3), colour(i))
			}), `column 1 id, Sepal.Length number, Sepal.Width number, Species category`,
		},
		"msleep.csv": { // R, as published
			written(`"rownames","name","vore","sleep_total"`, func(i int) string {
				return fmt.Sprintf(`%d,"Beast %c",%s,%d`, i+1, 'A'+i, colour(i), size(i))
			}), `rownames ignored, name label, vore category, sleep_total number`,
		},
		"mtcars.csv": {
			written(`"rownames","mpg","cyl"`, func(i int) string { return fmt.Sprintf(`"Car %c",%d.5,%d`, 'A'+i, size(i), 4+2*(i%3)) }),
			`rownames label, mpg number, cyl number`,
		},
		"Cars93.csv": {
			written("X,Model,Cylinders,Price", func(i int) string {
				return fmt.Sprintf("%d,Car %c,%s,%d", i+1, 'A'+i, []string{"4", "6", "rotary", "8"}[min(i, 3)], size(i))
			}), `X ignored, Model label, Cylinders number, Price number`,
		},
		"starbucks.csv": { // a sorted table that pandas wrote twice
			written("Unnamed: 0,item,calories,zip", func(i int) string {
				return fmt.Sprintf("%d,Drink %c,%d,%05d", 97-size(2*i)-41*(i%2), 'A'+i, size(i), 907*(i+1))
			}), `Unnamed: 0 ignored, item id, calories number, zip shown`,
		},
		"books.csv": {
			written("No.,isbn,title,pages", func(i int) string {
				return fmt.Sprintf("%d,97831614%05d,Book %c,%d", 5*i, 17*size(i)+i, 'A'+i, size(i))
			}),
			`No. id, isbn shown, title label, pages number`,
		},
		"elements.csv": {
			written("name,number,discovered,density", func(i int) string {
				return fmt.Sprintf("Element %c,%d,%s,%d.5", 'A'+i, i+1, []string{"Ancient", "1766", "1817"}[min(i, 2)], size(i))
			}), `name label, number ignored, discovered number, density number`,
		},
		"monarchs.json": {
			objects(func(i int) string {
				return fmt.Sprintf(`{"name":"Monarch %c","start":%d,"index":%d}`, 'A'+i, 1500+size(i), i)
			}),
			`name label, start number, index ignored`,
		},
		"countries.json": {
			objects(func(i int) string {
				return fmt.Sprintf(`{"name":{"common":"Land %c"},"tld":[".%c"],"ccn3":"%03d","idd":{"root":"+%d","suffixes":["%d"]},`+
					`"borders":[],"latlng":[%d,%d],"area":%d,"landlocked":%v}`,
					'A'+i, 'a'+i, 4+37*i, i%5+1, i, size(i), size(i+1), size(i+2), size(i)%2 == 0)
			}), `name.common label, tld ignored, ccn3 shown, idd.root shown, idd.suffixes ignored, ` +
				`borders ignored, latlng embedding, area number, landlocked boolean`,
		},
		"styles.json": {
			objects(func(i int) string {
				return fmt.Sprintf(`{"style":"Beer %c","tags":["%s"],"examples":[{"name":"x","abv":%d}],"stats":{"ibu":%d},"notes":{}}`,
					'A'+i, colour(i), i, size(i))
			}), `style label, tags ignored, examples ignored, stats.ibu number`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), name)
			testsupport.NoError(t, os.WriteFile(path, []byte(test.text), 0o600))
			var out, errOut bytes.Buffer
			if status := run([]string{"catalogue", "--json", path}, strings.NewReader(""), &out, &errOut); status != command.ExitOK {
				t.Fatalf("exit status %d: %s", status, errOut.String())
			}
			var report catalogueReport
			testsupport.NoError(t, json.Unmarshal(out.Bytes(), &report))
			var got []string
			for _, column := range report.Columns {
				got = append(got, column.Name+" "+column.Kind)
			}
			if diff := gocmp.Diff(test.want, strings.Join(got, ", ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestExportsComeBack: fit reads the answers and the arms of a study in every format of an export, as a workbook, after R or
// pandas wrote them again, and the log, with the same estimates.
func TestExportsComeBack(t *testing.T) {
	folder := t.TempDir()
	database := filepath.Join(folder, "studies.db")
	testsupport.NoError(t, keepLamps(t.Context(), database, study.Open))
	opened := testsupport.Value(store.Open(t.Context(), database)).OrFail(t)
	defer func() { testsupport.NoError(t, opened.Close()) }()
	service := testsupport.Value(wiring.New(t.Context(), opened, wiring.Options{Name: "test", Clock: time.Now})).OrFail(t)
	save := func(name, text string) string {
		path := filepath.Join(folder, name)
		testsupport.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	exported := func(file overview.File, err error) string {
		t.Helper()
		testsupport.NoError(t, err)
		var text bytes.Buffer
		testsupport.NoError(t, file.Write(&text))
		return text.String()
	}
	var answers, arms []string
	for _, format := range []table.Format{table.CSV, table.JSONLines, table.Parquet} {
		answers = append(answers, save("answers."+string(format),
			exported(service.Overview.ExportAnswers(t.Context(), "lamps", format))))
		arms = append(arms, save("arms."+string(format), exported(service.Overview.ExportArms(t.Context(), "lamps", format))))
	}
	sheet := func(path string) (sheet [][]any) {
		for _, row := range testsupport.Value(csv.NewReader(bytes.NewReader(testsupport.Value(os.ReadFile(path)).OrFail(t))).ReadAll()).OrFail(t) {
			var cells []any
			for _, cell := range row {
				cells = append(cells, cell)
			}
			sheet = append(sheet, cells)
		}
		return sheet
	}
	again := func(index, missing string) string {
		var lines []string
		for i, row := range sheet(answers[0]) {
			cells := []string{index}
			for _, cell := range row {
				cells = append(cells, cmp.Or(fmt.Sprint(cell), missing))
			}
			if i > 0 {
				cells[0] = strconv.Itoa(i)
			}
			lines = append(lines, strings.Join(cells, ","))
		}
		return strings.Join(lines, "\n")
	}
	answers = append(answers, save("pandas.csv", again("", "")), save("unnamed.csv", again("Unnamed: 0", "")),
		save("r.csv", again(`""`, "NA")),
		save("answers.xlsx", cataloguetest.WorkbookFile(t, sheet(answers[0]))))
	arms = append(arms, save("arms.xlsx", cataloguetest.WorkbookFile(t, sheet(arms[0]))))
	log := exported(service.Overview.ExportLog(t.Context(), "lamps"))
	model := []string{"--features", "price,colour", "--respondent", "respondent", "--ridge", "1"}
	want := fitJSON(t, append(model, answers[0], "--arms", arms[0])...)
	if want.Tasks != 5 || want.Parameters[0].Estimate == 0 {
		t.Fatalf("%+v", want)
	}
	same := func(arguments ...string) {
		t.Helper()
		got := fitJSON(t, append(slices.Clone(model), arguments...)...)
		if diff := gocmp.Diff(want.Parameters, got.Parameters, cmpopts.EquateNaNs()); diff != "" ||
			got.Respondents != want.Respondents {
			t.Errorf("%q: %s", arguments, diff)
		}
	}
	for _, given := range answers {
		same(given, "--arms", arms[0])
	}
	for _, options := range arms {
		same(answers[1], "--arms", options)
	}
	same(save("log.jsonl", log))
	same(save("log.gz", cataloguetest.Packed(log)), "--arms", arms[2])
	for text, says := range map[string]string{
		log[:strings.LastIndexByte(strings.TrimSpace(log), '\n')+1]: "the closing line is missing: the log was cut off",
		log[:len(log)/2]: "not a line of a log",
		strings.Replace(log, `"shown":[`, `"shown":[99,`, 1): "shows or picks an option that is not there",
		strings.Replace(log, `"picks":[`, `"picks":[7,`, 1):  "shows or picks an option that is not there",
	} {
		var out, errOut bytes.Buffer
		status := run([]string{"fit", save("bad.jsonl", text), "--features", "price"}, strings.NewReader(""), &out, &errOut)
		if status != command.ExitUsage || !strings.Contains(errOut.String(), says) || strings.Count(errOut.String(), "\n") != 1 {
			t.Errorf("exit status %d: %s, want %s", status, errOut.String(), says)
		}
	}
}

// TestBrokenFiles: catalogue and fit refuse files that are not tables in one line each, soon and in little memory, however
// much they declare or decompress to.
func TestBrokenFiles(t *testing.T) {
	const most, longest = 1 << 30, 20 * time.Second
	quoted := "id,x\na,\"1\nb,2\n"
	files := map[string]string{
		"empty.csv": "", "header.csv": "id,x\n", "blank.csv": "\n\n\n", "ragged.csv": "id,x\na,1\nb\n", "quote.csv": quoted,
		"twice.csv": "x,x\n1,2\n", "returns.csv": "id,x\ra,1\rb,2\r", "zero.csv": "id,x\na,\x00\n",
		"latin.csv": "id,x\näöü,1\nb,\xff\n",
		"long.csv":  "id,x\na," + strings.Repeat("9", 70<<20),
		"wide.csv":  strings.Repeat("c,", 200_000) + "\n",
		"bomb.gz":   cataloguetest.GzipBomb("", strings.Repeat("\x00", 1<<10), 1<<18),
		"cut.gz":    cataloguetest.Packed("id,x\n" + strings.Repeat("a,1\n", 1000))[:30],
		"cut.jsonl": "{\"id\":\"a\",\n", "rows.json": `{"rows":[{"id":"a","x":1},{"id":"b","x":2}]}`, "number.json": "[1,2,3]",
		"open.json": "[{\"id\":\"a\"},", "nan.jsonl": "{\"id\":\"a\",\"x\":NaN}\n", "deep.json": strings.Repeat("[", 100_000),
		"names.jsonl": "{\"id\":\"a\",\"id\":\"b\"}\n{\"id\":\"c\"}\n",
		"book.xlsx":   "PK\x03\x04 but no more", "other.xlsx": cataloguetest.ZIP(t, map[string]string{"a": "b"}),
		"old.xls": "\xd0\xcf\x11\xe0\xa1\xb1", "part.parquet": "PAR1 but no more", "part.npy": "\x93NUMPY\x01\x00",
		"program": "\x7fELF\x02\x01\x01\x00\x00",
	}
	for name, text := range files {
		path := filepath.Join(t.TempDir(), name)
		testsupport.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		for _, command := range [][]string{
			{"catalogue"},
			{"fit", "--features", "x"},
			{"fit", "--features", "price", "--arms", "../../examples/lamps.csv"},
		} {
			var out, errOut bytes.Buffer
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			status := run(append(command, path), strings.NewReader(""), &out, &errOut)
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			message := errOut.String()
			if status != 2 || strings.Count(message, "\n") != 1 || !strings.Contains(message, name) || len(message) > 500+len(path) {
				t.Errorf("%v %s: exit status %d: %.600q", command, name, status, message)
			}
			if taken := after.TotalAlloc - before.TotalAlloc; taken > most || took > longest {
				t.Errorf("%v %s: %v, %d MB allocated", command, name, took, taken>>20)
			}
		}
	}
}
