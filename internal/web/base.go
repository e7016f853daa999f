package web

import (
	"net/http"
	"regexp"
)

// localLink matches the attributes of rendered HTML that refer to a path of this server. Quotes in
// texts are escaped, so that texts do not match.
var localLink = regexp.MustCompile(`\b(href|src|action|formaction|data-api|data-look|data-events|data-address)="/`)

// based returns rendered HTML with links under the base. Templates and views have links without it.
func (p *Pages) based(html []byte) []byte {
	if p.Base == "" {
		return html
	}
	return localLink.ReplaceAll(html, []byte(`$1="`+p.Base+`/`))
}

// redirect redirects the browser to a path of this server.
func (p *Pages) redirect(w http.ResponseWriter, r *http.Request, path string) {
	http.Redirect(w, r, p.Base+path, http.StatusSeeOther) //nolint:gosec // callers pass own paths only
}
