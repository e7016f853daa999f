//go:build !race

package serve

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"bestpick/client"
	"bestpick/internal/web"
)

// permitted lists the replies of every route, besides the operations of the API, by kind of client: a status;
// sign-in, a 303 to that page; or question, a 200 with a question. Only cells with a ! change something or are
// added to the audit log. The last column is the form or the query.
//
// The respondent is a member of the panel of the study, the stranger of another study's. The revoked client was a
// member and an owner, and still has those credentials. Owners may change all studies.
const permitted = `
route                                none     respondent  stranger  viewer   guest    owner    revoked
GET  /healthz                        200      200         200       200      200      200      200
GET  /livez                          200      200         200       200      200      200      200
GET  /readyz                         200      200         200       200      200      200      200
GET  /metrics                        401      401         401       200      403      200      401
GET  /assets/{version}/{name}        200      200         200       200      200      200      200
GET  /sign-in                        200      200         200       303      303      303      200
POST /sign-in                        401!     401         401       303!     303!     303!     401      token={secret}
POST /sign-out                       sign-in  sign-in     sign-in   sign-in! sign-in! sign-in! sign-in
GET  /s/{study}                      403      question    403       403      403      403      403      key={key}
HEAD /s/{study}                      200      200         200       200      200      200      200      key={key}
GET  /s/{study}/{step}               303      303         303       303      303      303      303      key={key}
GET  /s/{study}/pictures/{hash}      404      404         404       404      404      404      404
GET  /s/{study}/accent/{colour}      200      200         200       200      200      200      200
POST /s/{study}/profile              403      303         403       403      403      403      403      key={key}
POST /s/{study}/begin                303      303         303       303      303      303      303      key={key}
POST /s/{study}/question             200      question    200       200      200      200      200      key={key}
POST /s/{study}/answer               422      303!        422       422      422      422      403      key={key}&token={asked}&pick=0
POST /s/{study}/skip                 422      303!        422       422      422      422      403      key={key}&token={asked}
POST /s/{study}/undo                 422      question!   422       422      422      422      403      key={key}&token={answered}
GET  /{$}                            sign-in  sign-in     sign-in   200      200      200      sign-in
GET  /new                            sign-in  sign-in     sign-in   403      403      200      sign-in
POST /new                            sign-in  sign-in     sign-in   403      403      303!     sign-in  multipart:name=New&prompt=Which?&k=2&picks=1&each=&delta=0.05&epsilon=0.2&table=id,x%0Aa,1%0Ab,2%0Ac,3
POST /new/look                       sign-in  sign-in     sign-in   403      403      200      sign-in  multipart:table=id,x%0Aa,1%0Ab,2
GET  /people                         sign-in  sign-in     sign-in   403      403      200      sign-in
POST /people                         sign-in  sign-in     sign-in   403      403      422      sign-in  name=Eve&role=king
POST /people/revoke                  sign-in  sign-in     sign-in   403      403      303      sign-in  name=gone
GET  /join/{invitation}              404      404         404       404      404      404      404
POST /join/{invitation}              404!     404         404       404      404      404      404
GET  /audit                          sign-in  sign-in     sign-in   403      403      200      sign-in
GET  /audit.csv                      sign-in  sign-in     sign-in   403      403      200!     sign-in
GET  /studies/{study}                sign-in  sign-in     sign-in   200      404      200      sign-in
GET  /studies/{study}/arms           sign-in  sign-in     sign-in   200      404      200      sign-in
GET  /studies/{study}/events         sign-in  sign-in     sign-in   200      404      200      sign-in
GET  /studies/{study}/report         sign-in  sign-in     sign-in   200      404      200      sign-in
GET  /studies/{study}/judges         sign-in  sign-in     sign-in   403      403      200      sign-in
GET  /studies/{study}/results.csv    sign-in  sign-in     sign-in   200!     404      200!     sign-in
GET  /studies/{study}/results.xlsx   sign-in  sign-in     sign-in   200!     404      200!     sign-in
GET  /studies/{study}/try            sign-in  sign-in     sign-in   200      404      200      sign-in
GET  /studies/{study}/try/{step}     sign-in  sign-in     sign-in   200      404      200      sign-in
POST /studies/{study}/try/{step}     sign-in  sign-in     sign-in   200      404      200      sign-in
GET  /results/{study}/{key}          404      404         404       404      404      404      404
GET  /results/{study}/{key}/charts/{chart} 404 404       404       404      404      404      404
GET  /favicon.ico                    302      302         302       302      302      302      302
GET  /studies/{study}/page           sign-in  sign-in     sign-in   403      403      200      sign-in
GET  /studies/{study}/webhook        sign-in  sign-in     sign-in   403      403      200      sign-in
POST /studies/{study}/webhook        sign-in  sign-in     sign-in   403      403      200!     sign-in  url=https://example.com/hook
POST /studies/{study}/webhook/remove sign-in  sign-in     sign-in   403      403      303      sign-in
POST /studies/{study}/webhook/test   sign-in  sign-in     sign-in   403      403      303      sign-in
POST /studies/{study}/page           sign-in  sign-in     sign-in   403      403      303!     sign-in  multipart:version={at}&welcome:en=Hello
POST /studies/{study}/duplicate      sign-in  sign-in     sign-in   403      403      303!     sign-in
POST /studies/{study}/publish        sign-in  sign-in     sign-in   403      403      303!     sign-in  version={at}
POST /studies/{study}/unpublish      sign-in  sign-in     sign-in   403      403      303!     sign-in  version={at}
POST /new/sample                     sign-in  sign-in     sign-in   403      403      303!     sign-in
GET  /studies/{study}/share          sign-in  sign-in     sign-in   200      404      200      sign-in
GET  /studies/{study}/charts/{chart} sign-in  sign-in     sign-in   404      404      404      sign-in
GET  /studies/{study}/panel          sign-in  sign-in     sign-in   403      403      200      sign-in
POST /studies/{study}/panel          sign-in  sign-in     sign-in   403      403      303!     sign-in  multipart:pasted=name%0AZora
GET  /studies/{study}/panel.csv      sign-in  sign-in     sign-in   403      403      200!     sign-in
POST /studies/{study}/panel/remove   sign-in  sign-in     sign-in   403      403      303      sign-in  name=gone
POST /studies/{study}/panel/renew    sign-in  sign-in     sign-in   403      403      303      sign-in  name=gone
GET  /studies/{study}/export/{what}  sign-in  sign-in     sign-in   403      403      200!     sign-in
GET  /studies/{study}/edit           sign-in  sign-in     sign-in   403      403      200      sign-in
POST /studies/{study}/edit           sign-in  sign-in     sign-in   403      403      303!     sign-in  version={at}&name=Other
POST /studies/{study}/edit/look      sign-in  sign-in     sign-in   403      403      200      sign-in  name=Other
POST /studies/{study}/open           sign-in  sign-in     sign-in   403      403      303!     sign-in  version={at}
POST /studies/{study}/pause          sign-in  sign-in     sign-in   403      403      303!     sign-in  version={at}
GET  /studies/{study}/close          sign-in  sign-in     sign-in   403      403      200      sign-in
POST /studies/{study}/close          sign-in  sign-in     sign-in   403      403      303!     sign-in  version={at}
GET  /studies/{study}/add            sign-in  sign-in     sign-in   403      403      200      sign-in
POST /studies/{study}/add            sign-in  sign-in     sign-in   403      403      303!     sign-in  multipart:version={at}&pasted=id,x%0Anew,7
GET  /studies/{study}/exclude        sign-in  sign-in     sign-in   403      403      200      sign-in
POST /studies/{study}/exclude        sign-in  sign-in     sign-in   403      403      422      sign-in  version={at}&respondent=a
GET  /studies/{study}/withdraw       sign-in  sign-in     sign-in   403      403      200      sign-in  arm=a
POST /studies/{study}/withdraw       sign-in  sign-in     sign-in   403      403      303!     sign-in  version={at}&arm=a
GET  /studies/{study}/delete         sign-in  sign-in     sign-in   403      403      200      sign-in
POST /studies/{study}/delete         sign-in  sign-in     sign-in   403      403      303!     sign-in  version={at}&name=Study
GET  /studies/{study}/cards          sign-in  sign-in     sign-in   403      403      200      sign-in
POST /studies/{study}/cards          sign-in  sign-in     sign-in   403      403      303!     sign-in  version={at}&hide-description=on
POST /studies/{study}/cards/look     sign-in  sign-in     sign-in   403      403      200      sign-in  version={at}
POST /studies/{study}/page/look      sign-in  sign-in     sign-in   403      403      200      sign-in  version={at}&welcome:en=Hello
GET  /studies/{study}/profile        sign-in  sign-in     sign-in   403      403      200      sign-in
POST /studies/{study}/profile        sign-in  sign-in     sign-in   403      403      303!     sign-in  version={at}
GET  /studies/{study}/contexts       sign-in  sign-in     sign-in   403      403      200      sign-in
POST /studies/{study}/contexts       sign-in  sign-in     sign-in   403      403      303!     sign-in  multipart:version={at}&pasted=arm,context,text%0Aa,x,1%0Ab,x,2%0Ac,x,3%0Ad,x,4
GET  /studies/{study}/prior          sign-in  sign-in     sign-in   403      403      200      sign-in
POST /studies/{study}/prior          sign-in  sign-in     sign-in   403      403      303!     sign-in  multipart:version={at}&pasted=shown_1,shown_2,pick_1%0Aa,b,b
POST /studies/{study}/remove-prior   sign-in  sign-in     sign-in   403      403      303!     sign-in  version={at}
ANY  /                               404      404         404       404      404      404      404
`

// A row has the expected replies of a route by kind of client.
type row struct {
	cells map[string]string
	sent  string
}

// readPermitted reads the table: rows by method and pattern.
func readPermitted(t *testing.T) map[string]row {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(permitted), "\n")
	roles := strings.Fields(lines[0])[1:]
	rows := map[string]row{}
	for _, line := range lines[1:] {
		fields := strings.Fields(line)
		r := row{cells: map[string]string{}}
		for i, role := range roles {
			r.cells[role] = fields[2+i]
		}
		r.sent = strings.Join(fields[2+len(roles):], "")
		rows[fields[0]+" "+fields[1]] = r
	}
	return rows
}

// routesOf returns the routes of a server without the operations of the API, which have their own
// table.
func routesOf(t *testing.T, s *Service) []string {
	t.Helper()
	pages := web.Handler(s.studies, web.Options{})
	mounted := s.routes(pages)
	delete(mounted, "/") // the API
	for _, path := range pages.Paths() {
		delete(mounted, path)
	}
	routes := slices.AppendSeq(pages.Routes(), maps.Keys(mounted))
	for i, pattern := range routes {
		if !strings.Contains(pattern, " ") {
			routes[i] = "ANY " + pattern
		}
	}
	return routes
}

// TestAccess tries every route as every kind of client. A new route needs a row.
func TestAccess(t *testing.T) {
	log := served(t, func(server *Service, owner *client.Client) {
		s := newScene(t, server, owner)
		rows := readPermitted(t)
		routes := routesOf(t, server)
		last := func(route string) int { return strings.Count(route, "/sign-out") } // it ends the visitors' sessions, so it comes last
		slices.SortStableFunc(routes, func(a, b string) int { return last(a) - last(b) })
		for _, route := range routes {
			r, ok := rows[route]
			if !ok {
				t.Errorf("route %s has no row in the table", route)
				continue
			}
			s.all(route, r)
			if path, is := strings.CutPrefix(route, "GET "); is { // the same handler as GET
				head := headOf(r, rows["HEAD "+path])
				for _, role := range []string{"none", "owner"} {
					s.try("HEAD "+path, head.sent, s.visitor(role), head.cells[role])
				}
			}
		}
		for route := range rows {
			if !slices.Contains(routes, strings.Replace(route, "HEAD", http.MethodGet, 1)) {
				t.Errorf("the table has a row for %s, which is not a route", route)
			}
		}
	})
	if strings.Contains(log, "level=ERROR") {
		t.Error(log)
	}
}

// headOf returns the row of a HEAD request: its own if it has one, and otherwise that of GET
// without changes.
func headOf(get, head row) row {
	if head.cells != nil {
		return head
	}
	head = row{cells: map[string]string{}, sent: get.sent}
	for role, cell := range get.cells {
		head.cells[role] = strings.TrimSuffix(cell, "!")
	}
	return head
}

// all tries a route as each visitor; with a token on pages and a cookie on the API, which are
// ignored; and from a page of another site, which changes nothing.
func (s *scene) all(route string, r row) {
	s.Helper()
	for _, who := range s.visitors {
		s.try(route, r.sent, who, r.cells[who.role])
	}
	astray := s.visitor("owner")
	astray.name, astray.astray = "an owner the wrong way", true
	s.try(route, r.sent, astray, strings.TrimSuffix(r.cells["none"], "!")) // of many refusals only some are recorded
	if method, _, _ := strings.Cut(route, " "); method == http.MethodGet || method == http.MethodHead {
		return
	}
	for _, role := range []string{"owner", "respondent"} {
		sent := s.visitor(role)
		sent.name, sent.elsewhere = sent.name+" by a page of another site", true
		s.try(route, r.sent, sent, "403")
	}
}
