package web

import (
	"embed"
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"strings"

	"golang.org/x/text/language"
)

//go:embed messages
var messageFiles embed.FS

// languages has the messages of the pages: a file per language, English first.
type languages struct {
	names    []string // such as en
	messages []map[string]string
	matcher  language.Matcher
}

func newLanguages() *languages {
	files, err := messageFiles.ReadDir("messages")
	if err != nil {
		panic("web: " + err.Error())
	}
	l := &languages{names: []string{"en"}}
	for _, file := range files {
		if name := strings.TrimSuffix(file.Name(), ".json"); name != "en" {
			l.names = append(l.names, name)
		}
	}
	var tags []language.Tag
	for _, name := range l.names {
		text, err := messageFiles.ReadFile(path.Join("messages", name+".json"))
		if err != nil {
			panic("web: " + err.Error())
		}
		var messages map[string]string
		if err := json.Unmarshal(text, &messages); err != nil {
			panic("web: messages/" + name + ".json: " + err.Error())
		}
		l.messages = append(l.messages, messages)
		tags = append(tags, language.MustParse(name))
	}
	l.matcher = language.NewMatcher(tags)
	return l
}

// words has the messages of one language.
type words struct {
	Language string
	messages map[string]string
}

// of returns the messages for a request: in the chosen language, or else in the best one that the
// browser accepts.
func (l *languages) of(r *http.Request, chosen string) words {
	_, at := language.MatchStrings(l.matcher, chosen, r.Header.Get("Accept-Language"))
	return words{l.names[at], l.messages[at]}
}

// Say returns a message. Pairs are the names and values of its placeholders.
func (w words) Say(key string, pairs ...any) (string, error) {
	message, known := w.messages[key]
	if !known {
		return "", fmt.Errorf("web: no message %q in %s", key, w.Language)
	}
	texts := make([]string, len(pairs))
	for i, item := range pairs {
		if texts[i] = fmt.Sprint(item); i%2 == 0 {
			texts[i] = "{" + texts[i] + "}"
		}
	}
	return strings.NewReplacer(texts...).Replace(message), nil
}
