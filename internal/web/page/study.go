package page

import (
	"mime"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"unicode"

	"bestpick/internal/statement"
	"bestpick/internal/study"
)

// StudyOf returns the requested study.
func (s *Site) StudyOf(r *http.Request) (study.Study, error) {
	id := r.PathValue("study")
	if !IsText(id) {
		return study.Study{}, study.ErrNotFound
	}
	return s.studies.Study(r.Context(), id)
}

// PublicAddress returns the address under which people reach the server: the configured one, or the one with which the
// owner reached it. local says that it only works on this computer.
func (s *Site) PublicAddress(r *http.Request) (address url.URL, local bool) {
	if s.PublicURL != nil {
		address = *s.PublicURL
		address.Path = s.Base
	} else {
		address = url.URL{Scheme: "http", Host: r.Host, Path: s.Base}
		if s.Secure || r.TLS != nil {
			address.Scheme = "https"
		}
	}
	host := address.Hostname()
	ip, err := netip.ParseAddr(host)
	return address, host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && ip.IsLoopback()
}

// A StateView has the state of a study, or the reason why it is done.
type StateView struct {
	statement.Words

	State string
}

// StateOf returns the view of a study's state.
func StateOf(w statement.Words, s study.Study) StateView {
	if s.State == study.Done && s.Reason != "" {
		return StateView{w, string(s.Reason)}
	}
	return StateView{w, string(s.State)}
}

// Minutes returns about how many minutes some questions take, at ten seconds each. It returns 0 if their number is
// not limited.
func Minutes(questions int) int {
	const perMinute = 6
	return (questions + perMinute - 1) / perMinute
}

// Attach sets the headers of a file that browsers save.
func Attach(w http.ResponseWriter, contentType, name string) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	w.Header().Set("Cache-Control", "no-store")
}

// FileName returns the name of a study as a part of a file name, or its ID if nothing is left of the name.
func FileName(s study.Study) string {
	const most = 60
	words := strings.FieldsFunc(strings.ToLower(s.Name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	name := []rune(strings.Join(words, "-"))
	if len(name) == 0 {
		return s.ID
	}
	return string(name[:min(len(name), most)])
}
