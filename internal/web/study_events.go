package web

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"

	"bestpick/internal/access"
	"bestpick/internal/middleware"
	"bestpick/internal/study"
	"bestpick/internal/study/overview"
)

// Minimum intervals between the events of a study's page.
const (
	verdictEvery  = 300 * time.Millisecond
	picturesEvery = 1500 * time.Millisecond
)

// The names of events.
const (
	verdictEvent  = "verdict"
	picturesEvent = "pictures"
	manageEvent   = "manage"
	endEvent      = "end" // the last event, with the reason
)

// studyEvents streams the changed fragments of a study's page.
func (p *Pages) studyEvents(w http.ResponseWriter, r *http.Request, who access.Token) {
	v, err := p.glance(r.Context(), r, who)
	if err != nil {
		w.WriteHeader(http.StatusNoContent) // browsers do not reconnect after this status
		return
	}
	w.Header().Set("Content-Type", middleware.EventType)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no") // turns off buffering in nginx
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return
	}
	out := middleware.NewEvents(w)
	defer out.End()
	p.follow(r, v, out)
}

// follow sends fragments of the page until the request is cancelled, the server stops, or the
// session of the request ends.
func (p *Pages) follow(r *http.Request, v studyView, out *middleware.Events) {
	ctx, cancel := context.WithCancel(r.Context())
	var watching sync.WaitGroup
	defer watching.Wait()
	defer cancel()
	latest := make(chan overview.Progress, 1)
	ended := make(chan error, 1)
	watching.Go(func() {
		ended <- p.studies.Overview.Watch(ctx, v.Study.ID, func(progress overview.Progress) error {
			select {
			case <-latest: // which is stale by now
			default:
			}
			latest <- progress
			return nil
		})
	})
	beat, tick := time.NewTicker(p.Heartbeat), time.NewTicker(verdictEvery)
	defer beat.Stop()
	defer tick.Stop()
	shown, err := strconv.Atoi(r.FormValue("version"))
	if err != nil {
		shown = v.Study.Version
	}
	f := follower{Pages: p, view: v, out: out, version: shown}
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.Closing:
			return
		case err := <-ended:
			if errors.Is(err, study.ErrNotFound) {
				_ = out.Send(endEvent, 0, "deleted") // the stream ends in any case
			}
			return
		case <-beat.C:
			if _, err := p.session(r); errors.Is(err, access.ErrUnknown) {
				_ = out.Send(endEvent, 0, "signed-out") // like above
				return
			}
			if out.Beat() != nil {
				return
			}
		case progress := <-latest:
			f.news, f.pending = &progress, true
		case <-tick.C:
			if f.tell(ctx) != nil {
				return
			}
		}
	}
}

// A follower has the state of an event stream.
type follower struct {
	*Pages

	view    studyView
	out     *middleware.Events
	version int                // of the study, as the page shows it
	news    *overview.Progress // that were not told yet
	pending bool               // charts were not sent yet
	drawn   time.Time          // when charts were last sent
}

// tell sends the fragments that have changed.
func (f *follower) tell(ctx context.Context) error {
	if f.news != nil {
		if err := f.fill(ctx, &f.view, *f.news); err != nil {
			return nil //nolint:nilerr // it is retried; a deleted study ends the stream elsewhere
		}
		f.news = nil
		if err := f.send(verdictEvent, verdictEvent); err != nil {
			return err
		}
		if f.view.Study.Version != f.version {
			f.version, f.drawn = f.view.Study.Version, time.Time{} // such as when the study is decided: charts follow at once
			if err := f.send(manageEvent, manageEvent); err != nil {
				return err
			}
		}
	}
	if !f.pending || time.Since(f.drawn) < picturesEvery {
		return nil
	}
	f.view.overview = nil
	if err := f.draw(ctx, &f.view, longerLook); err != nil || f.view.overview == nil {
		return nil //nolint:nilerr // like above; reading a long log continues
	}
	f.pending, f.drawn = false, time.Now()
	if f.view.Winner() != nil { // the runner-up rests on the estimates of the charts
		if err := f.send(verdictEvent, verdictEvent); err != nil {
			return err
		}
	}
	return f.send(picturesEvent, picturesEvent)
}

// send sends a fragment of the page.
func (f *follower) send(event, part string) error {
	var text bytes.Buffer
	if err := f.templates[studyPage].ExecuteTemplate(&text, part, f.view); err != nil {
		f.Log.Error("a page failed", "page", studyPage, "part", part, "error", err)
		return err
	}
	return f.out.Send(event, f.view.Plan, string(f.based(text.Bytes())))
}
