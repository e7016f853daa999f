package picture

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"bestpick/internal/middleware"
)

// Links checks whether pictures at addresses can be loaded. Safe for concurrent use.
type Links struct {
	client *http.Client

	mutex  sync.Mutex
	failed map[string]string // what was found out lately, "" for pictures that load
	since  time.Time         // of the first of them
}

// NewLinks returns a checker. It connects to public addresses only, unless private is set.
func NewLinks(private bool) *Links { return &Links{client: middleware.NewClient(private)} }

// Limits of a check.
const (
	maxLinks    = 200              // addresses of one check
	linkTime    = 4 * time.Second  // for one address
	linksTime   = 10 * time.Second // for all
	linkWorkers = 16
	linkAge     = 10 * time.Minute // of what is remembered
	maxKnown    = 10_000           // addresses that are remembered
)

// Failing returns the first of the addresses whose pictures do not load, with the reason. It checks addresses that
// begin with https://, up to 200 of them, and gives up after 10 seconds. Nil checks nothing.
func (l *Links) Failing(ctx context.Context, addresses []string) []string {
	if l == nil {
		return nil
	}
	var distinct []string
	seen := map[string]bool{}
	for _, address := range addresses {
		if strings.HasPrefix(address, "https://") && !seen[address] && len(distinct) < maxLinks {
			seen[address] = true
			distinct = append(distinct, address)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, linksTime)
	defer cancel()
	reasons := make([]string, len(distinct))
	var checking sync.WaitGroup
	free := make(chan struct{}, linkWorkers)
	for i, address := range distinct {
		free <- struct{}{}
		checking.Go(func() {
			reasons[i] = l.check(ctx, address)
			<-free
		})
	}
	checking.Wait()
	var failing []string
	for i, reason := range reasons {
		if reason != "" {
			failing = append(failing, distinct[i]+" ("+reason+")")
		}
	}
	return slices.Clip(failing)
}

// check returns why a picture does not load, "" if it does or there was no time to find out.
func (l *Links) check(ctx context.Context, address string) string {
	l.mutex.Lock()
	reason, known := l.failed[address]
	known = known && time.Since(l.since) < linkAge
	l.mutex.Unlock()
	if known {
		return reason
	}
	if ctx.Err() != nil {
		return ""
	}
	reason = l.load(ctx, address)
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.failed == nil || len(l.failed) >= maxKnown || time.Since(l.since) >= linkAge {
		l.failed, l.since = map[string]string{}, time.Now()
	}
	l.failed[address] = reason
	return reason
}

// load returns why a picture does not load, "" if it does. A redirect counts as loading: browsers follow it.
func (l *Links) load(ctx context.Context, address string) string {
	ctx, cancel := context.WithTimeout(ctx, linkTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return "not an address"
	}
	r.Header.Set("User-Agent", "bestpick")
	r.Header.Set("Accept", "image/*")
	reply, err := l.client.Do(r)
	if err != nil {
		return "cannot be reached"
	}
	const most = 512 // bytes; they are discarded
	_, _ = io.CopyN(io.Discard, reply.Body, most)
	_ = reply.Body.Close()
	kind := reply.Header.Get("Content-Type")
	switch {
	case reply.StatusCode >= http.StatusMultipleChoices && reply.StatusCode < http.StatusBadRequest:
		return ""
	case reply.StatusCode != http.StatusOK:
		return fmt.Sprint("status ", reply.StatusCode)
	case kind != "" && !strings.HasPrefix(kind, "image/") && !strings.HasPrefix(kind, "application/octet-stream"):
		return "not a picture"
	}
	return ""
}
