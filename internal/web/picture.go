package web

import (
	"html/template"
	"net/url"
	"regexp"
)

// inPlace matches a picture that is its own address. A drawing in SVG is shown as a picture, in which nothing
// runs. Quotes and brackets have to be written as %22 and so on.
var inPlace = regexp.MustCompile(`^data:image/(png|jpeg|gif|webp|avif|svg\+xml)(;charset=utf-8|;utf8)?(;base64)?,[!#-&(-;=?-~]*$`)

const secureScheme = "https"

// picture returns the address of an arm's picture, or nothing where there is none that a browser may load: it
// comes by TLS or is given in place. The policy of the pages says the same.
func picture(address string) template.URL {
	if inPlace.MatchString(address) {
		return template.URL(address)
	}
	if parsed, err := url.Parse(address); err == nil && parsed.Scheme == secureScheme && parsed.Host != "" && parsed.User == nil {
		return template.URL(parsed.String())
	}
	return ""
}
