package page

import (
	"embed"
	"net/http"
	"time"

	"golang.org/x/text/language"

	"bestpick/internal/statement"
)

//go:embed messages
var messageFiles embed.FS

// languages has the messages of the pages in each language, English first.
type languages struct {
	words   []statement.Words
	matcher language.Matcher
}

func newLanguages() languages {
	l := languages{words: statement.Languages(messageFiles)}
	var tags []language.Tag
	for _, w := range l.words {
		tags = append(tags, language.MustParse(w.Language))
	}
	l.matcher = language.NewMatcher(tags)
	return l
}

// in returns the messages for a request: in the chosen language, or else in the best one that the browser accepts.
func (l languages) in(r *http.Request, chosen string) statement.Words {
	_, at := language.MatchStrings(l.matcher, chosen, r.Header.Get("Accept-Language"))
	return l.words[at]
}

// Languages returns the names of all languages.
func (s *Site) Languages() (names []string) {
	for _, w := range s.languages.words {
		names = append(names, w.Language)
	}
	return names
}

// languageCookie keeps the language that an owner has chosen.
const (
	languageCookie = "lang"
	keepLanguage   = 365 * 24 * time.Hour
)

// WordsIn returns the messages for a request: in the chosen language, or else in the best one that the browser accepts.
func (s *Site) WordsIn(r *http.Request, chosen string) statement.Words {
	return s.languages.in(r, chosen)
}

// WordsOf returns the messages for a request: in the language of the address, else of the cookie, else of the
// browser.
func (s *Site) WordsOf(r *http.Request) statement.Words {
	chosen := r.URL.Query().Get("lang")
	if cookie, err := r.Cookie(languageCookie); err == nil && chosen == "" {
		chosen = cookie.Value
	}
	return s.languages.in(r, chosen)
}

// RememberLanguage has the browser remember the language in the address.
func (s *Site) RememberLanguage(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("lang") == "" {
		return
	}
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure depends on the connection
		Name: languageCookie, Value: s.WordsOf(r).Language, Path: s.Base + "/", MaxAge: int(keepLanguage.Seconds()),
		HttpOnly: true, Secure: s.Secure, SameSite: http.SameSiteLaxMode,
	})
}
