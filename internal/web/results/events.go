package results

import (
	"cmp"
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

// updateEvery is the minimum interval between two updates of a study's page.
const updateEvery = time.Second

// The names of events.
const (
	verdictEvent  = "verdict"
	notesEvent    = "notes"
	picturesEvent = "pictures"
	moreEvent     = "more-results"
	peopleEvent   = "respondents"
	manageEvent   = "manage"
	endEvent      = "end" // the last event, with the reason
)

// studyEvents streams the changed fragments of a study's page.
func (p *Pages) studyEvents(w http.ResponseWriter, r *http.Request, who access.Token) error {
	v, err := p.progressView(r.Context(), r, who)
	if err != nil {
		w.WriteHeader(http.StatusNoContent) // browsers do not reconnect after this status
		return nil
	}
	w.Header().Set("Content-Type", middleware.EventType)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no") // turns off buffering in nginx
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	out := middleware.NewEvents(w)
	defer out.End()
	p.follow(r, v, out)
	return nil
}

// follow sends fragments of the page until the request is cancelled, the server stops, or the
// session of the request ends.
func (p *Pages) follow(r *http.Request, v View, out *middleware.Events) {
	ctx, cancel := context.WithCancel(r.Context())
	var watching sync.WaitGroup
	defer watching.Wait()
	defer cancel()
	latest := make(chan overview.Progress, 1)
	ended := make(chan error, 1)
	watching.Go(func() {
		ended <- p.Overview.Watch(ctx, v.Study.ID, func(progress overview.Progress) error {
			select {
			case <-latest: // which is stale by now
			default:
			}
			latest <- progress
			return nil
		})
	})
	beat, tick := time.NewTicker(p.Heartbeat), time.NewTicker(updateEvery)
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
			if _, err := p.Session(r); errors.Is(err, access.ErrUnknown) {
				_ = out.Send(endEvent, 0, "signed-out") // like above
				return
			}
			if out.Beat() != nil {
				return
			}
		case progress := <-latest:
			f.news, f.pending = &progress, true
		case <-tick.C:
			if f.sendChanges(ctx) != nil {
				return
			}
		}
	}
}

// A follower has the state of an event stream.
type follower struct {
	*Pages

	view    View
	out     *middleware.Events
	version int                // of the study, as the page shows it
	news    *overview.Progress // that were not told yet
	pending bool               // charts were not sent yet
}

// sendChanges sends the fragments that have changed: the verdict with its charts, or without them while their data are read.
func (f *follower) sendChanges(ctx context.Context) error {
	if f.news != nil {
		if err := f.setProgress(ctx, &f.view, *f.news); err != nil {
			return nil //nolint:nilerr // it is retried; a deleted study ends the stream elsewhere
		}
	}
	if !f.pending {
		return nil
	}
	f.view.overview = nil
	err := f.addCharts(ctx, &f.view, pagePatience)
	drawn := err == nil && f.view.overview != nil
	if f.news != nil || drawn { // the runner-up rests on the estimates of the charts
		if err := cmp.Or(f.send(verdictEvent, verdictEvent), f.send(notesEvent, notesEvent)); err != nil {
			return err
		}
	}
	f.news = nil
	if f.view.Study.Version != f.version {
		f.version = f.view.Study.Version
		if err := f.send(manageEvent, manageEvent); err != nil {
			return err
		}
	}
	if !drawn {
		return nil // like above; reading a long log continues
	}
	f.pending = false
	for event, part := range map[string]string{moreEvent: "more", peopleEvent: "respondents", picturesEvent: "pictures"} {
		if err := f.send(event, part); err != nil {
			return err
		}
	}
	return nil
}

// send sends a fragment of the page.
func (f *follower) send(event, part string) error {
	text, err := f.Render(studyPage, part, f.view)
	if err != nil {
		f.Log.Error("a page failed", "page", studyPage, "part", part, "error", err)
		return err
	}
	return f.out.Send(event, f.view.Plan, string(text))
}
