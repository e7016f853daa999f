package replay_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bestpick/internal/catalogue/archive"
	"bestpick/internal/study"
	"bestpick/internal/study/replay"
)

// unproven lists the fields of a log that only the signature covers, with the reason.
// docs/verify.md has the same list.
func unproven() map[string]string {
	return map[string]string{
		"study.name":                        "the owner may rename a study at any time, also after its end",
		"study.page.logo":                   "the owner may change the presentation at any time",
		"study.page.accent":                 "the owner may change the presentation at any time",
		"study.page.privacy":                "the owner may change the presentation at any time",
		"study.page.redirect":               "the owner may change the presentation at any time",
		"study.page.redirect_full":          "the owner may change the presentation at any time",
		"study.page.redirect_ineligible":    "the owner may change the presentation at any time",
		"study.page.code":                   "the owner may change the presentation at any time",
		"study.page.cards.hide_description": "the owner may change the presentation at any time",
		"study.page.cards.hide_picture":     "the owner may change the presentation at any time",
		"study.profile":                     "the owner may change the questions about respondents at any time; answers count whatever the profile",
		"study.public":                      "the owner may publish the results at any time",
		"study.request":                     "it identifies the request that created the study",
		"study.version":                     "it counts changes, also those after the end",
		"study.changed":                     "it is the time of the last change, which may be after the end",
		"study.settings.retention_days":     "the owner may change at any time how long names are kept",
		"study.ended":                       "it is the time of the server's clock from which names are kept",
		"study.unnamed":                     "it is the time of the server's clock at which the removal of names began",
		"plan.first":                        "only if the last plan follows an erasure: the store numbers its questions, and the verdict does not depend on them",
		"outcome not counted":               "no plan has counted it, so the verdict does not depend on it",
	}
}

// A tampering is an altered log.
type tampering struct {
	name  string
	field string   // as in unproven
	lines []string // without the closing line
}

// signed returns lines with a closing line as docs/verify.md describes it.
func signed(lines []string, key ed25519.PrivateKey) string {
	log := strings.Join(lines, "\n") + "\n"
	hash := sha256.Sum256([]byte(log))
	message := fmt.Sprintf("bestpick log, version 1\n%d lines\nsha256 %x\n", len(lines), hash)
	return log + fmt.Sprintf(`{"closing":{"lines":%d,"sha256":"%x","public_key":"%x","signature":"%x"}}`+"\n",
		len(lines), hash, key.Public(), ed25519.Sign(key, []byte(message)))
}

// attacker is a key other than the store's.
func attacker() ed25519.PrivateKey { return ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)) }

// tampered alters a log, and returns the altered fields that only the signature detects. It makes one of oneOf changes,
// and of each field that only the signature covers all until one is not detected.
func tampered(t *testing.T, log string, key replay.PublicKey, stride, oneOf int) map[string]bool {
	t.Helper()
	report, err := replay.VerifySigned(strings.NewReader(log), key)
	if err != nil || !report.Trusted || report.Study.Reason != study.Certified {
		t.Fatalf("%+v, %v", report, err)
	}
	all := lines(log)
	body := all[:len(all)-1]
	if _, err := replay.Verify(strings.NewReader(signed(body, attacker()))); err != nil {
		t.Fatalf("a forged log: %v", err)
	}
	found, rows := map[string]bool{}, 0
	for row := range alterations(body, stride) {
		rows++
		if rows%oneOf != 0 && (unproven()[row.field] == "" || found[row.field]) {
			continue
		}
		text := signed(row.lines, attacker())
		_, err := replay.VerifySigned(strings.NewReader(text), key)
		if !located(err) {
			t.Errorf("%s: with the public key: %v", row.name, err)
			continue
		}
		if wrong, _ := errors.AsType[*replay.ExportError](err); wrong.Field != "closing.public_key" {
			continue // detected before the key matters
		}
		if _, err := replay.Verify(strings.NewReader(text)); err == nil {
			found[row.field] = true
			if unproven()[row.field] == "" {
				t.Errorf("%s: not detected", row.name)
			}
		}
	}
	for _, closing := range edits("closing", parseTree(all[len(all)-1])) {
		if rows++; rows%oneOf != 0 {
			continue
		}
		if _, err := replay.Verify(strings.NewReader(strings.Join(body, "\n") + "\n" + closing.text + "\n")); !located(err) {
			t.Errorf("%s: %v", closing.name, err)
		}
	}
	for name, text := range map[string]string{
		"no closing line": strings.Join(body, "\n") + "\n", "no line feed at the end": strings.TrimSuffix(log, "\n"),
		"a byte behind": log + "x", "a line feed behind": log + "\n",
		"the log twice": log + log, "the closing line twice": log + all[len(all)-1] + "\n", "an object behind": log + "{}\n",
		"an answer behind": log + body[len(body)-1] + "\n",
		"not closed":       strings.Join(body, "\n") + "\n", "nothing": "", "carriage returns": strings.ReplaceAll(log, "\n", "\r\n"),
	} {
		rows++
		if _, err := replay.Verify(strings.NewReader(text)); !located(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	t.Logf("%d alterations of a log of %d lines", rows, len(all))
	if rows < 1000 {
		t.Errorf("%d alterations", rows)
	}
	return found
}

// located reports whether an error names a line.
func located(err error) bool {
	e, is := errors.AsType[*replay.ExportError](err)
	return is && e.Line > 0 && strings.HasPrefix(err.Error(), fmt.Sprintf("line %d", e.Line))
}

// alterations yields altered logs.
func alterations(body []string, stride int) func(yield func(tampering) bool) {
	return func(yield func(tampering) bool) {
		counted := countedBy(body[lastOf(body)])
		behind := func(i int, field string) string {
			if number := numberOf(body[i]); number > counted {
				return "outcome not counted"
			}
			return field
		}
		for _, i := range specimens(body) {
			for _, e := range edits(fmt.Sprintf("line %d", i+1), parseTree(body[i])) {
				if !yield(tampering{e.name, behind(i, e.field), replaced(body, i, e.text)}) {
					return
				}
			}
		}
		for i := 0; i < len(body); i += stride {
			at := fmt.Sprintf("line %d ", i+1)
			for _, row := range []tampering{
				{at + "dropped", "", replaced(body, i)},
				{at + "duplicated", "", replaced(body, i, body[i], body[i])},
				{at + "reordered", "", replaced(body, i, "")},
				{"cut before " + at, "", slices.Clone(body[:i])},
				{"half of " + at, "", append(slices.Clone(body[:i]), body[i][:len(body[i])/2])},
			} {
				if i+1 < len(body) && strings.HasSuffix(row.name, "reordered") {
					row.lines = replaced(body, i, body[i+1])
					row.lines[i+1] = body[i]
				}
				row.field = behind(i, "")
				if i == 0 && len(row.lines) == 0 {
					row.lines = []string{""}
				}
				if !yield(row) {
					return
				}
			}
		}
		for _, row := range composed(body) {
			if !yield(row) {
				return
			}
		}
	}
}

// lastOf returns the index of the last plan.
func lastOf(body []string) int {
	last := 0
	for i, line := range body {
		if strings.HasPrefix(line, `{"plan"`) {
			last = i
		}
	}
	return last
}

// countedBy returns the number of the last outcome that a plan counts.
func countedBy(line string) int64 {
	var plan struct {
		Plan study.Plan `json:"plan"`
	}
	if err := json.Unmarshal([]byte(line), &plan); err != nil {
		panic(err)
	}
	return plan.Plan.LastCounted
}

// numberOf returns the number of the outcome in a line, 0 for other lines.
func numberOf(line string) int64 {
	var outcome struct {
		Outcome study.Outcome `json:"outcome"`
	}
	if err := json.Unmarshal([]byte(line), &outcome); err != nil {
		panic(err)
	}
	return outcome.Outcome.Number
}

// specimens returns the lines whose fields are altered: one of each kind of outcome, the last
// outcome, and plans that are first, last, or change the arms.
func specimens(body []string) []int {
	chosen := map[string]int{"study": 0, "last": len(body) - 1, "last plan": lastOf(body)}
	choose := func(name string, i int) {
		if _, there := chosen[name]; !there {
			chosen[name] = i
		}
	}
	kind := regexp.MustCompile(`^{"outcome":.*"kind":"(\w+)"`)
	for i, line := range body {
		if found := kind.FindStringSubmatch(line); found != nil {
			choose(found[1], i)
		}
		if strings.HasPrefix(line, `{"plan"`) {
			choose("first plan", i)
			for _, field := range []string{`"withdrawn":`, `"arms":`, `"afresh":`} {
				if strings.Contains(line, field) {
					choose(field, i)
				}
			}
		}
	}
	return slices.Compact(slices.Sorted(maps.Values(chosen)))
}

// replaced returns lines with one of them replaced by others.
func replaced(body []string, i int, by ...string) []string {
	return slices.Concat(body[:i], by, body[i+1:])
}

// composed returns alterations of several lines or of the catalogue, by an attacker who knows the
// format.
func composed(body []string) (rows []tampering) {
	var first struct {
		Version   int             `json:"bestpick_study"`
		Study     json.RawMessage `json:"study"`
		Catalogue []byte          `json:"catalogue"`
	}
	if err := json.Unmarshal([]byte(body[0]), &first); err != nil {
		panic(err)
	}
	original := first.Catalogue
	for name, alter := range map[string]func(*archive.Catalogue){
		"labels exchanged":     func(c *archive.Catalogue) { c.Labels[0], c.Labels[1] = c.Labels[1], c.Labels[0] },
		"label of the last":    func(c *archive.Catalogue) { c.Labels[len(c.Labels)-1] = "other" },
		"description":          func(c *archive.Catalogue) { c.Descriptions[0] = "other" },
		"descriptions dropped": func(c *archive.Catalogue) { c.Descriptions = nil },
		"image": func(c *archive.Catalogue) {
			c.Images = make([]string, c.Arms.Len())
			c.Images[0] = "https://example.com/a.png"
		},
		"attribute renamed": func(c *archive.Catalogue) { c.Attributes[0].Name = "other" },
		"attribute dropped": func(c *archive.Catalogue) { c.Attributes = c.Attributes[1:] },
		"encoding":          func(c *archive.Catalogue) { c.Encoding.Columns[0].Mean++ },
		"an arm less":       func(c *archive.Catalogue) { *c = *c.First(c.Arms.Len() - 1) },
	} {
		loaded, err := archive.Load(bytes.NewReader(original), int64(len(original)), "arms")
		if err != nil {
			panic(err)
		}
		alter(loaded)
		var saved bytes.Buffer
		if err := archive.Save(&saved, loaded); err != nil {
			panic(err)
		}
		first.Catalogue = saved.Bytes()
		rows = append(rows, tampering{"catalogue: " + name, "", replaced(body, 0, literal(first))})
	}
	for name, pair := range map[string][2]string{
		"ids exchanged": {"\na,Atlas", "\nb,Atlas"},
		"ids renamed":   {"\na,Atlas", "\nz,Atlas"},
	} {
		changed := bytes.Replace(original, []byte(pair[0]), []byte(pair[1]), 1)
		rows = append(rows, tampering{
			"catalogue: " + name, "",
			replaced(body, 0, strings.Replace(body[0], base64.StdEncoding.EncodeToString(original),
				base64.StdEncoding.EncodeToString(changed), 1)),
		})
	}
	all := strings.Join(body, "\n")
	for name, pair := range map[string][2]string{
		"a respondent renamed":       {`"respondent":"r3"`, `"respondent":"r4"`},
		"all prompts":                {`"prompt":"Which one?"`, `"prompt":"Which one not?"`},
		"stopped instead":            {`"state":"done","reason":"certified"`, `"state":"done","reason":"stopped"`},
		"open instead":               {`"state":"done","reason":"certified"`, `"state":"open"`},
		"no settings in the digests": {`"settings":"`, `"Settings":"`},
		"no plan says it is done":    {`"done":"certified",`, ``},
	} {
		rows = append(rows, tampering{name, "", strings.Split(strings.ReplaceAll(all, pair[0], pair[1]), "\n")})
	}
	return rows
}

// TestUnprovenIsDocumented: docs/verify.md lists the fields that only the signature covers.
func TestUnprovenIsDocumented(t *testing.T) {
	text, err := os.ReadFile("../../../docs/verify.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "## Fields that only the signature covers")
	table, _, _ = strings.Cut(table, "\n## ")
	documented := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `?([a-z_. ]+?)`? \\| (.*) \\|$").FindAllStringSubmatch(table, -1) {
		documented[row[1]] = row[2]
	}
	delete(documented, "field")
	if !maps.Equal(documented, unproven()) {
		t.Errorf("documented: %q, unproven: %q", documented, unproven())
	}
}

// TestPriorIsVerified: verification detects every change of the prior, also after an erasure.
func TestPriorIsVerified(t *testing.T) {
	s := certified(t, informed(), "anna")
	all := lines(s.Exported())
	body, altered := all[:len(all)-1], 0
	for _, e := range edits("line 1", parseTree(body[0])) {
		if !strings.HasPrefix(e.field, "study.settings.strategy.prior") {
			continue
		}
		altered++
		if _, err := replay.Verify(strings.NewReader(signed(replaced(body, 0, e.text), attacker()))); !located(err) {
			t.Errorf("%s: %v", e.name, err)
		}
	}
	if altered < 20 {
		t.Errorf("%d alterations", altered)
	}
}
