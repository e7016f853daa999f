package page

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"bestpick/internal/access"
	"bestpick/internal/middleware"
	"bestpick/internal/statement"
	"bestpick/internal/study"
	"bestpick/internal/table"
)

// New returns a site with the pages for signing in and out. The first secret signs its sessions, which expire by the clock;
// those of the others are accepted.
func New(studies Studies, secrets [][]byte, clock func() time.Time, o Options) *Site {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Heartbeat == 0 {
		o.Heartbeat = 15 * time.Second
	}
	if o.MaxUpload == 0 {
		o.MaxUpload = table.MaxUploadBytes
	}
	files, templates := pages()
	s := &Site{
		Options: o, Clock: clock, studies: studies, assets: files,
		languages: newLanguages(), templates: templates, mux: http.NewServeMux(),
		links: middleware.NewLimiter(linkBurst/linkFor.Seconds(), linkBurst),
	}
	for _, secret := range secrets {
		s.keys = append(s.keys, study.Key(secret, "sessions of the pages"))
		s.linkKeys = append(s.linkKeys, study.Key(secret, "links to sign in"))
	}
	s.registerSignIn()
	s.Handle("GET "+assetsPath+"{version}/{name}", files.ServeHTTP)
	s.Handle("GET "+iconPath, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, s.Base+files.address("icon.svg"), http.StatusFound)
	})
	return s
}

// The rate limit of sign-in attempts per address.
const (
	signInRate  = 0.2 // per second
	signInBurst = 20
)

// A signInView is the page on which owners and viewers sign in.
type signInView struct {
	statement.Words

	Next    string // the path to redirect to
	Problem string // the message key of a problem
	Mail    bool   // links can be sent
	Sent    bool   // a link was sent, if the address has access
}

// linkFor is how long a link to sign in is valid, and linkBurst how many can be sent to one person within that time.
const (
	linkFor   = 15 * time.Minute
	linkBurst = 5
)

// registerSignIn registers the pages for signing in and out.
func (s *Site) registerSignIn() {
	s.Handle("GET "+signInPath, s.Page(s.signInForm))
	often := func(w http.ResponseWriter, r *http.Request, wait time.Duration) {
		s.Page(func(w http.ResponseWriter, r *http.Request) error {
			if err := ParseForm(w, r); err != nil {
				return err
			}
			SetRetryAfter(w, wait)
			return s.signInAgain(w, r, http.StatusTooManyRequests, "sign-in.often")
		})(w, r)
	}
	limited := middleware.Limit(middleware.NewLimiter(signInRate, signInBurst), s.Clock, often)
	s.Handle("POST "+signInPath, limited(s.Page(s.signIn)).ServeHTTP)
	s.Handle("POST "+signOutPath, s.Page(s.signOut))
	if s.Mail == nil {
		return
	}
	s.Handle("POST "+signInPath+"/mail", limited(s.Page(s.sendLink)).ServeHTTP)
	s.Handle("GET "+signInPath+"/link/{link}", s.Page(func(w http.ResponseWriter, r *http.Request) error {
		NeverFramed(w)
		return s.Show(w, http.StatusOK, "join", Whole, MessageView{OwnerView: s.OwnerView(r, access.Token{}), Kind: "sign-in.link"})
	}))
	s.Handle("POST "+signInPath+"/link/{link}", limited(s.Page(s.useLink)).ServeHTTP)
}

// sendLink sends a link to sign in to an address, if it has access and did not get many. The reply always says the same.
func (s *Site) sendLink(w http.ResponseWriter, r *http.Request) error {
	if err := ParseForm(w, r); err != nil {
		return err
	}
	view := signInView{Next: ownPath(r.PostFormValue("next")), Sent: true}
	address := Typed(r, "email")
	if !access.IsEmail(address) {
		view.Sent, view.Problem = false, "sign-in.no-email"
		return s.showSignIn(w, r, http.StatusUnprocessableEntity, view)
	}
	token, err := s.named(r.Context(), address)
	switch {
	case errors.Is(err, access.ErrUnknown):
	case err != nil:
		return err
	default:
		if few, _ := s.links.Allow(token.Hash, s.Clock()); few {
			link, _ := s.PublicAddress(r)
			link.Path += signInPath + "/link/" + signSession(s.linkKeys[0], token.Hash, rand.Text(), s.Clock().Add(linkFor))
			go s.SendLink(context.WithoutCancel(r.Context()), s.WordsOf(r), token.Name, "sign-in", link) // its time tells nothing
		}
	}
	return s.showSignIn(w, r, http.StatusOK, view)
}

// SendLink sends a link for a purpose, and reports whether it was sent. A failure is logged.
func (s *Site) SendLink(ctx context.Context, w statement.Words, to, purpose string, link url.URL) bool {
	err := s.Mail.Send(ctx, to, w.Must("mail."+purpose), w.Must("mail."+purpose+"-text", "link", link.String()))
	if err != nil {
		s.Log.Error("an e-mail was not sent", "error", err)
	}
	return err == nil
}

// useLink signs in with a link, once: of all processes on the store, one ends it as a session.
func (s *Site) useLink(w http.ResponseWriter, r *http.Request) error {
	token, err := access.Token{}, access.ErrUnknown
	if link, ok := openSession(s.linkKeys, r.PathValue("link"), s.Clock()); ok {
		if token, err = s.Tokens.SessionToken(r.Context(), link.token, link.id); err == nil {
			err = s.Tokens.EndSession(r.Context(), link.id, link.until, s.Clock())
		}
	}
	switch {
	case errors.Is(err, access.ErrUnknown):
		s.Refused(r, "sign-in-refused")
		return s.signInAgain(w, r, http.StatusUnauthorized, "sign-in.used")
	case err != nil:
		return err
	}
	s.SignIn(w, r, token)
	return s.Redirect(w, r, ListPath)
}

func (s *Site) signInForm(w http.ResponseWriter, r *http.Request) error {
	next := ownPath(r.URL.Query().Get("next"))
	if _, err := s.Session(r); err == nil {
		return s.Redirect(w, r, next)
	}
	return s.showSignIn(w, r, http.StatusOK, signInView{Next: next})
}

// signIn signs in with a token. Wrong and valid tokens take the same time, because both are looked
// up by their hash.
func (s *Site) signIn(w http.ResponseWriter, r *http.Request) error {
	if err := ParseForm(w, r); err != nil {
		return err
	}
	token, err := s.Tokens.Token(r.Context(), access.Hash(r.PostFormValue("token")))
	switch {
	case errors.Is(err, access.ErrUnknown):
		s.Refused(r, "sign-in-refused")
		return s.signInAgain(w, r, http.StatusUnauthorized, "sign-in.wrong")
	case err != nil:
		return err
	}
	s.SignIn(w, r, token)
	return s.Redirect(w, r, ownPath(r.PostFormValue("next")))
}

// signOut ends the session, so that copies of the cookie become invalid, and deletes the cookie.
func (s *Site) signOut(w http.ResponseWriter, r *http.Request) error {
	if session, ok := s.cookie(r); ok {
		who, known := s.Tokens.SessionToken(r.Context(), session.token, session.id)
		err := s.Tokens.EndSession(r.Context(), session.id, session.until, s.Clock())
		if err != nil && !errors.Is(err, access.ErrUnknown) {
			return err // the cookie is kept for a retry
		}
		if known == nil {
			s.Record(r.Context(), who, "sign-out", "", "")
		}
	}
	s.setSession(w, "")
	return s.Redirect(w, r, signInPath)
}

func (s *Site) signInAgain(w http.ResponseWriter, r *http.Request, status int, problem string) error {
	return s.showSignIn(w, r, status, signInView{Next: ownPath(r.PostFormValue("next")), Problem: problem})
}

func (s *Site) showSignIn(w http.ResponseWriter, r *http.Request, status int, view signInView) error {
	NeverFramed(w)
	s.RememberLanguage(w, r)
	view.Words, view.Mail = s.WordsOf(r), s.Mail != nil
	return s.Show(w, status, "signin", Whole, view)
}
