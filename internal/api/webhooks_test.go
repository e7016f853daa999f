package api_test

import (
	"testing"

	"bestpick/internal/api"
	"bestpick/wire"
)

// TestWebhooks: an owner sets the webhook, every token may read it, and its secret is shown once.
func TestWebhooks(t *testing.T) {
	s := begin(t, setting{idle: true})
	ctx := t.Context()
	study := s.draft(quick())
	_, err := s.viewer.Webhook(ctx, study.ID)
	s.refused(err, 404, wire.NotFound, "")
	set, err := s.owner.SetWebhook(ctx, study.ID, "https://example.com/hook")
	s.must(err)
	s.secrets.add(set.Secret)
	if set.URL != "https://example.com/hook" || set.State != "waiting" || set.Delivery == "" || set.Secret == "" ||
		set.Set.IsZero() || !set.Next.IsZero() {
		t.Errorf("%+v", set)
	}
	reply := s.send(sent{token: s.viewer.Token, method: "GET", path: "/studies/" + study.ID + "/webhook"})
	s.secrets.absent(t, "what a viewer reads", reply.text)
	var read wire.Webhook
	s.must(reply.read(&read))
	if shown := set.Webhook; read.URL != "https://example.com/…" { // viewers see the host only
		t.Errorf("a viewer reads %s", read.URL)
	} else if read.URL = shown.URL; read != shown {
		t.Errorf("%+v, want %+v", read, shown)
	}
	if hook, err := s.owner.Webhook(ctx, study.ID); err != nil || hook != set.Webhook {
		t.Errorf("an owner reads %+v, %v", hook, err)
	}
	again, err := s.owner.SetWebhook(ctx, study.ID, "https://example.com/hook")
	s.must(err)
	if again.Secret == set.Secret || again.Delivery == set.Delivery {
		t.Error("the new webhook has the old secret")
	}
	for _, bad := range []string{"http://example.com", "https://127.0.0.1", "https://a:b@example.com", "example.com", ""} {
		_, err := s.owner.SetWebhook(ctx, study.ID, bad)
		s.refused(err, 422, wire.Invalid, "body.url")
	}
	if after, err := s.owner.Study(ctx, study.ID); err != nil || after.Version != study.Version {
		t.Errorf("the study has version %d, %v", after.Version, err)
	}
	for _, id := range []string{"none", "%00"} {
		_, err = s.owner.SetWebhook(ctx, id, "https://example.com")
		s.refused(err, 404, wire.NotFound, "")
	}
	s.must(s.owner.DeleteWebhook(ctx, study.ID))
	s.refused(s.owner.DeleteWebhook(ctx, study.ID), 404, wire.NotFound, "")
}

// TestNotice: the notice of a stopped study is final once all earlier answers are counted.
func TestNotice(t *testing.T) {
	s := begin(t, setting{idle: true})
	ctx := t.Context()
	study := s.open(quick())
	planner := s.studies.Planning.Planner(study.ID)
	_, err := planner.Step(ctx)
	s.must(err)
	s.answer(study.ID, "anna")
	if _, final, err := api.Notice(ctx, s.studies, study.ID); err != nil || final {
		t.Errorf("the study is open: %v %v", final, err)
	}
	_, err = s.owner.Close(ctx, study.ID)
	s.must(err)
	if _, final, err := api.Notice(ctx, s.studies, study.ID); err != nil || final {
		t.Errorf("an answer is not counted: %v %v", final, err)
	}
	_, err = planner.Step(ctx)
	s.must(err)
	notice, final, err := api.Notice(ctx, s.studies, study.ID)
	s.must(err)
	verdict := s.verdict(study.ID)
	if v := notice.Verdict; !final || notice.Study != study.ID || notice.Name != "Fruits" || notice.State != "done" ||
		notice.Reason != "stopped" ||
		!notice.At.Equal(verdict.At) || v.Digest != verdict.Digest || v.Answers != 1 || v.Leader != nil {
		t.Errorf("%v, %+v", final, notice)
	}
}
