package hostile

import (
	"strings"
)

// headers are those of a request besides what says how the body is sent.
func (m *maker) headers(o operation, kind string) []string {
	headers := []string{"Host: localhost"}
	if token := m.token(o); token != "" {
		headers = append(headers, "Authorization: "+token)
	}
	for _, p := range o.Parameters {
		if p.Name == "If-Match" {
			headers = append(headers, m.ifMatch()...)
		}
	}
	if m.odd(15) {
		kind = choose(m.dice, []string{
			"", "text/plain", jsonType, formType, "application/x-www-form-urlencoded", "application/cbor", "application/xml", "multipart/mixed; boundary=b0undary",
			"application/json; charset=utf-16", "application/json;", "json", "/", ";", "\xff", kind + "; " + kind, kind + "; x=" + strings.Repeat("y", 20_000), "application/merge-patch+json",
		})
	}
	if kind != "" {
		headers = append(headers, "Content-Type: "+kind)
	}
	if m.odd(15) {
		headers = append(headers, choose(m.dice, [][]string{
			{"Content-Encoding: gzip"},
			{"Accept: application/cbor"},
			{"Accept: \xff"},
			{"Accept-Encoding: gzip, br;q=nan"},
			{"Range: bytes=0-1,5-2"},
			{"Expect: nothing"},
			{"If-None-Match: *"},
			{"X-HTTP-Method-Override: DELETE"},
			{"Origin: null"},
			{"Cookie: " + strings.Repeat("a=b; ", 10_000)},
			{"X: " + strings.Repeat("y", 100_000)},
			{"Upgrade: h2c", "Connection: Upgrade"},
			{"Last-Event-ID: -1"},
			{"X-Forwarded-For: ::1, \x7f"},
			{"Content-Type: text/plain"},
			{"Authorization: Bearer again"},
			{"Accept-Language: \""},
			repeated("X-Many: 1", 1000),
			{"Content-Disposition: form-data; name=x"},
			{"Date: never"},
			{"TE: trailers"},
		})...)
	}
	return headers
}

func repeated(header string, times int) []string {
	all := make([]string, times)
	for i := range all {
		all[i] = header
	}
	return all
}

// token is what is shown to those who ask for one.
func (m *maker) token(o operation) string {
	switch {
	case m.odd(15):
		return choose(m.dice, []string{
			"", "Bearer", "Bearer ", "Bearer  " + m.world.Owner, "Basic " + m.world.Owner, m.world.Owner, "Bearer " + m.world.Owner + "\xff", "Bearer " + strings.ToUpper(m.world.Owner),
			"Bearer " + m.question.Token, "Bearer " + m.scene.Study, "Bearer " + strings.Repeat("x", 50_000), "Digest username=\"x\"", "Bearer " + m.world.Owner + ", Bearer x",
		})
	case m.odd(10):
		return "Bearer " + choose(m.dice, append([]string{""}, m.world.Others...))
	case len(o.Security) > 0:
		return "Bearer " + m.world.Owner
	}
	return ""
}

// ifMatch says which version a study must have.
func (m *maker) ifMatch() []string {
	if m.odd(4) {
		return choose(m.dice, [][]string{
			nil,
			{"If-Match: "},
			{`If-Match: "0"`},
			{`If-Match: "99999999999999999999"`},
			{`If-Match: W/` + m.scene.ETag},
			{`If-Match: ` + m.scene.ETag + `, "7"`},
			{`If-Match: "`},
			{`If-Match: ""`},
			{"If-Match: " + m.scene.ETag, `If-Match: "3"`},
			{"If-Match: " + strings.Repeat(`"1",`, 10_000)},
			{"If-Match: \xff"},
			{"If-Match: 1"},
			{`If-Match: "-1"`},
			{`If-Match: "01"`},
			{"If-Match: " + strings.Repeat(",", 50_000)},
			{`If-Match: *, "1"`},
			{`If-None-Match: ` + m.scene.ETag},
		})
	}
	return choose(m.dice, [][]string{{"If-Match: " + m.scene.ETag}, {"If-Match: *"}})
}
