package statement

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

//go:embed messages
var messageFiles embed.FS

// Words has the messages of one language.
type Words struct {
	Language string // such as en
	messages map[string]string
}

// Languages returns all languages, English first, with the messages of this package and those in the folders "messages"
// of further files.
func Languages(further ...fs.FS) []Words {
	all := map[string]map[string]string{}
	for _, files := range append(further, messageFiles) {
		names, err := fs.Glob(files, "messages/*.json")
		if err != nil {
			panic("statement: " + err.Error())
		}
		for _, name := range names {
			text, err := fs.ReadFile(files, name)
			var messages map[string]string
			if err == nil {
				err = json.Unmarshal(text, &messages)
			}
			if err != nil {
				panic("statement: " + name + ": " + err.Error())
			}
			language := strings.TrimSuffix(path.Base(name), ".json")
			if all[language] == nil {
				all[language] = map[string]string{}
			}
			maps.Copy(all[language], messages)
		}
	}
	var languages []Words
	for _, language := range slices.Sorted(maps.Keys(all)) {
		languages = append(languages, Words{language, all[language]})
	}
	slices.SortStableFunc(languages, func(a, b Words) int { return english(a) - english(b) })
	return languages
}

func english(w Words) int {
	if w.Language == "en" {
		return 0
	}
	return 1
}

// Messages returns all messages by key.
func (w Words) Messages() map[string]string { return maps.Clone(w.messages) }

// Has reports whether there is a message with a key.
func (w Words) Has(key string) bool { return w.messages[key] != "" }

// Say returns a message. Pairs are the names and values of its placeholders.
func (w Words) Say(key string, pairs ...any) (string, error) {
	message, known := w.messages[key]
	if !known {
		return "", fmt.Errorf("statement: no message %q in %s", key, w.Language)
	}
	texts := make([]string, len(pairs))
	for i, item := range pairs {
		if texts[i] = fmt.Sprint(item); i%2 == 0 {
			texts[i] = "{" + texts[i] + "}"
		}
	}
	return strings.NewReplacer(texts...).Replace(message), nil
}

// Must returns a message as Say does, and panics if it does not exist.
func (w Words) Must(key string, pairs ...any) string {
	text, err := w.Say(key, pairs...)
	if err != nil {
		panic(err.Error())
	}
	return text
}

// Quote returns the name of an option for use in a sentence: in quotes if it could be taken for a part of the sentence.
func (w Words) Quote(name string) string {
	const phrase = 3 // words
	if len(strings.Fields(name)) < phrase {
		return name
	}
	return w.Must("names.quoted", "name", name)
}

// List returns names as a list: "A, B and C".
func (w Words) List(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return w.Must("names.and", "others", strings.Join(names[:last], ", "), "last", names[last])
}

// Number formats a number with a number of decimals, in the format of the language.
func (w Words) Number(x float64, digits int) string {
	text := strconv.FormatFloat(math.Abs(x), 'f', digits, 64)
	whole, rest, _ := strings.Cut(text, ".")
	var out strings.Builder
	if x < 0 && strings.Trim(text, "0.") != "" {
		out.WriteString("−")
	}
	for i, digit := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			out.WriteString(w.messages["number.group"])
		}
		out.WriteRune(digit)
	}
	if rest != "" {
		out.WriteString(w.messages["number.point"] + rest)
	}
	return out.String()
}

// Count formats a whole number.
func (w Words) Count(n int) string { return w.Number(float64(n), 0) }

// Short formats a number with as few digits as possible: 20, 0.2, 13.3.
func (w Words) Short(x float64) string {
	digits := 0
	for digits < 4 && math.Abs(x-math.Round(x*math.Pow10(digits))/math.Pow10(digits)) > 0.005*math.Abs(x) {
		digits++
	}
	return w.Number(x, digits)
}

// Percent formats a share.
func (w Words) Percent(x float64) string { return w.Must("number.percent", "n", w.Number(100*x, 0)) }

// Moment formats a time in UTC, which JavaScript converts to the reader's time zone.
func (Words) Moment(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") + " UTC" }

// Stamp formats a time for programs.
func (Words) Stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
