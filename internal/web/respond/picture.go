package respond

import (
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"regexp"
	"strconv"

	"bestpick/internal/access"
	"bestpick/internal/study"
)

// inPlace matches a data URL of a picture. An SVG drawing is shown as a picture, in which no script
// runs. Quotes and brackets must be percent-encoded.
var inPlace = regexp.MustCompile(`^data:image/(png|jpeg|gif|webp|avif|svg\+xml)(;charset=utf-8|;utf8)?(;base64)?,[!#-&(-;=?-~]*$`)

const secureScheme = "https"

// pictureURL returns the address of an arm's picture, or nothing where there is none that a browser may load: it
// is stored here, comes by TLS or is given in place. The policy of the pages says the same.
func pictureURL(address string) template.URL {
	if inPlace.MatchString(address) {
		return template.URL(address)
	}
	if study.IsPicturePath(address) {
		return template.URL(address)
	}
	if parsed, err := url.Parse(address); err == nil && parsed.Scheme == secureScheme && parsed.Host != "" && parsed.User == nil {
		return template.URL(parsed.String())
	}
	return ""
}

// servePicture serves a stored picture. Its address has a hash of its bytes, so that browsers may keep it for good. As
// the picture was encoded here, it has nothing to run; the headers make sure.
func (p *Pages) servePicture(w http.ResponseWriter, r *http.Request) {
	found, err := p.Store.Picture(r.Context(), r.PathValue("study"), r.PathValue("hash"))
	if errors.Is(err, study.ErrNotFound) {
		http.NotFound(w, r)
		return
	}
	if err != nil {
		p.Fail(w, r, access.Token{}, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", found.Type)
	h.Set("Content-Length", strconv.Itoa(len(found.Bytes)))
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	_, _ = w.Write(found.Bytes) // the client has gone
}
