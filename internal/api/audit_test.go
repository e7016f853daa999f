package api_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"bestpick/internal/access"
	"bestpick/internal/api"
	"bestpick/wire"
)

// entries returns the audit log, oldest first.
func (s *stage) entries() []wire.Entry {
	s.Helper()
	list, _ := all(func(cursor string) ([]wire.Entry, string) {
		page, err := s.owner.Audit(s.Context(), cursor)
		s.must(err)
		return page.Entries, page.Next
	})
	slices.Reverse(list)
	return list
}

// TestAudit calls every audited operation, once with success and once without.
func TestAudit(t *testing.T) {
	s := begin(t, setting{})
	ctx := t.Context()
	study := s.draft(quick())
	name, prompt, settings := "Sweets", "Which one?", study.Settings
	settings.Budget, settings.Model = new(7), &wire.Model{Slots: true}
	changed, err := s.owner.Change(ctx, study.ID, study.Version, wire.Change{Name: &name, Prompt: &prompt, Settings: &settings})
	s.must(err)
	_, err = s.owner.Change(ctx, study.ID, study.Version, wire.Change{Name: &name})
	s.refused(err, 412, wire.Changed, "")
	back := wire.Settings{Assume: "linear", Fallback: new(0.0), Verify: new(0.0), Model: &wire.Model{}, Budget: new(1000)}
	changed, err = s.owner.Change(ctx, study.ID, changed.Version, wire.Change{Settings: &back})
	s.must(err)
	_, err = s.owner.ReplaceArms(ctx, study.ID, changed.Version, file("fruits.csv", fruits), nil)
	s.must(err)
	_, err = s.owner.AddArms(ctx, study.ID, 0, file("more.csv", "id,label,sweet,sour\nfig,A fig,2,0\n"), nil)
	s.must(err)
	_, err = s.owner.SetContexts(ctx, study.ID, 0,
		file("texts.csv", "arm,context,text\napple,x,1\npear,x,2\nlemon,x,3\nquince,x,4\nplum,x,5\ncherry,x,6\nfig,x,7\n"), "")
	s.must(err)
	_, err = s.owner.SetPrior(ctx, study.ID, 0, file("a.csv", "shown_1,shown_2,pick_1\napple,pear,pear\n"))
	s.must(err)
	_, err = s.owner.RemovePrior(ctx, study.ID)
	s.must(err)
	_, err = s.owner.Import(ctx, study.ID, "survey", file("a.csv", "shown_1,shown_2,pick_1\napple,pear,pear\n"))
	s.must(err)
	_, err = s.owner.Import(ctx, study.ID, "survey", file("a.csv", "shown_1,shown_2,pick_1\napple,pear,pear\n"))
	s.refused(err, 409, wire.Known, "")
	_, err = s.owner.Open(ctx, study.ID)
	s.must(err)
	_, err = s.owner.Withdraw(ctx, study.ID, "lemon")
	s.must(err)
	q := s.answer(study.ID, "anna") // answers are not audited
	s.invite(study.ID, "anna", "cleo")
	_, err = s.owner.ImportMembers(ctx, study.ID, file("people.csv", "name\nanna\ndora\n"))
	s.must(err)
	renewed, err := s.owner.RenewKey(ctx, study.ID, "cleo")
	s.must(err)
	s.secrets.add(renewed.Key)
	_, err = s.owner.Panel(ctx, study.ID, "")
	s.must(err)
	_, err = s.owner.RemoveMembers(ctx, study.ID, "cleo", "nobody")
	s.must(err)
	_, err = s.owner.Erase(ctx, study.ID, q.Respondent)
	s.must(err)
	_, err = s.viewer.Erase(ctx, study.ID, q.Respondent)
	s.refused(err, 403, wire.Forbidden, "")
	_, err = s.owner.Pause(ctx, study.ID)
	s.must(err)
	_, err = s.viewer.Close(ctx, study.ID)
	s.refused(err, 403, wire.Forbidden, "")
	_, err = s.owner.Close(ctx, study.ID)
	s.must(err)
	_, err = s.owner.SetWebhook(ctx, study.ID, "https://example.com:444/secret?key=secret")
	s.must(err)
	_, err = s.owner.SetWebhook(ctx, study.ID, "ftp://example.com")
	s.refused(err, 422, wire.Invalid, "body.url")
	s.must(s.owner.DeleteWebhook(ctx, study.ID))
	s.refused(s.owner.DeleteWebhook(ctx, study.ID), 404, wire.NotFound, "")
	var text bytes.Buffer
	s.must(s.owner.Export(ctx, study.ID, "log", "", &text))
	s.must(s.owner.Export(ctx, study.ID, "answers", "jsonl", &text))
	s.must(s.viewer.Export(ctx, study.ID, "arms", "csv", &text))
	s.must(s.viewer.Export(ctx, study.ID, "leaderboard", "", &text))
	s.refused(s.owner.Export(ctx, "none", "log", "", &text), 404, wire.NotFound, "")
	s.send(sent{token: s.owner.Token, method: http.MethodHead, path: "/studies/" + study.ID + "/export/log"})
	made, err := s.owner.CreateToken(ctx, "ben", "owner")
	s.must(err)
	s.must(s.as(made.Secret).RevokeToken(ctx, "ben"))
	s.refused(s.owner.RevokeToken(ctx, "ben"), 404, wire.NotFound, "")
	s.must(s.owner.Delete(ctx, study.ID))

	want := []string{
		`owner create-study "Fruits", 6 options`,
		"owner change-study name, settings.budget, settings.model",
		"owner change-study settings.budget, settings.model",
		"owner replace-arms 6 options",
		"owner add-arms 7 options",
		"owner set-contexts 1 context",
		"owner set-prior 1 choice",
		"owner remove-prior ",
		`owner import-answers batch "survey", 1 answer`,
		"owner open-study ",
		`owner withdraw-arm option "lemon"`,
		"owner add-members 2 members, 2 of them new",
		"owner import-members 2 members, 1 of them new",
		"owner renew-key member 2",
		"owner list-panel ",
		"owner remove-members 1 member",
		"owner erase-respondent 1 answer, 0 skips, 0 taken back",
		"owner pause-study ",
		"owner close-study ",
		"owner set-webhook at example.com:444",
		"owner delete-webhook ",
		"owner export-log jsonl",
		"owner export-answers jsonl",
		"viewer export-arms csv",
		"viewer export-leaderboard csv",
		`owner create-token "ben", owner`,
		`ben revoke-token "ben"`,
		"owner delete-study ",
	}
	var got []string
	left := []string{"exclude-respondent"} // see TestExclude
	ids := map[string]string{
		"owner": access.Hash(s.owner.Token)[:8], "viewer": access.Hash(s.viewer.Token)[:8], "ben": access.Hash(made.Secret)[:8],
	}
	for _, e := range s.entries() {
		if e.Token != ids[e.By] {
			t.Errorf("%s is by the token %q of %s, want %q", e.Operation, e.Token, e.By, ids[e.By])
		}
		got = append(got, strings.Join([]string{e.By, e.Operation, e.Detail}, " "))
		if about := !strings.HasSuffix(e.Operation, "-token"); (e.Study == study.ID) != about || time.Since(e.At).Abs() > time.Minute {
			t.Errorf("%s is about %q, at %v", e.Operation, e.Study, e.At)
		}
		left = append(left, e.Operation)
		s.secrets.absent(t, "an entry", e.Detail)
		if strings.Contains(e.Detail, q.Respondent) {
			t.Errorf("an entry names a respondent: %v", e)
		}
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the entries are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, operation := range s.description().operations() {
		recorded := len(operation.Security) > 0 &&
			(operation.method != http.MethodGet || strings.HasPrefix(operation.ID, "export-") || operation.ID == "list-panel")
		if recorded != slices.Contains(left, operation.ID) {
			t.Errorf("%s is audited: %v", operation.ID, recorded)
		}
	}
}

// A fullAudit rejects every entry.
type fullAudit struct{ access.Audit }

func (fullAudit) AddEntry(context.Context, access.Entry) error { return errors.New(inside) }

// TestAuditFails: if the entry cannot be stored, the operation succeeds, and the server's log has
// the entry.
func TestAuditFails(t *testing.T) {
	s := begin(t, setting{idle: true, api: api.Options{Audit: fullAudit{}}})
	study := s.draft(quick())
	for _, part := range []string{inside, "by=owner", "operation=create-study", "study=" + access.Pseudonym(study.ID)} {
		if !strings.Contains(s.log.String(), part) {
			t.Errorf("the log has no %s: %s", part, s.log)
		}
	}
}
