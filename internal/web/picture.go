package web

import (
	"html/template"
	"net/url"
	"regexp"
)

// inPlace matches a data URL of a picture. An SVG drawing is shown as a picture, in which no script
// runs. Quotes and brackets must be percent-encoded.
var inPlace = regexp.MustCompile(`^data:image/(png|jpeg|gif|webp|avif|svg\+xml)(;charset=utf-8|;utf8)?(;base64)?,[!#-&(-;=?-~]*$`)

const secureScheme = "https"

// picture returns the URL of an arm's picture, or an empty one if browsers must not load it: only
// https and data URLs are allowed. The content security policy of the pages says the same.
func picture(address string) template.URL {
	if inPlace.MatchString(address) {
		return template.URL(address)
	}
	if parsed, err := url.Parse(address); err == nil && parsed.Scheme == secureScheme && parsed.Host != "" && parsed.User == nil {
		return template.URL(parsed.String())
	}
	return ""
}
