package middleware

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"
)

type requestKey struct{}

var requestName = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// RequestOf returns the ID of the request of a context.
func RequestOf(ctx context.Context) string {
	id, _ := ctx.Value(requestKey{}).(string)
	return id
}

// Log assigns an ID to every request, from X-Request-Id if that is valid, and logs method, route, status and duration.
// It logs nothing that may be secret: no query, header or body, and the route instead of the path, which contains IDs
// of studies. It calls count with the same values.
func Log(log *slog.Logger, count func(method, route string, status int, took time.Duration)) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			id := r.Header.Get("X-Request-Id")
			if !requestName.MatchString(id) {
				id = rand.Text()
			}
			w.Header().Set("X-Request-Id", id)
			ctx := context.WithValue(r.Context(), requestKey{}, id)
			watched := Watch(w)
			begin := time.Now()
			r = r.WithContext(ctx)
			next.ServeHTTP(watched, r)
			route, took, status := RouteOf(r), time.Since(begin), watched.Status
			if status >= http.StatusInternalServerError && ctx.Err() != nil {
				status = gone
			}
			count(r.Method, route, status, took)
			log.LogAttrs(ctx, levelOf(status), "request", slog.String("method", r.Method), slog.String("route", route),
				slog.Int("status", status), slog.Duration("took", took), slog.String("request", id),
				slog.String("from", AddressOf(ctx).String()))
		})
	}
}

// gone is the status, in log and metrics only, of requests that failed because the client disconnected.
const gone = 499

// RouteOf returns the pattern that matched a request, without its method.
func RouteOf(r *http.Request) string {
	_, path, found := strings.Cut(r.Pattern, " ")
	switch {
	case found:
		return path
	case r.Pattern == "":
		return "none"
	}
	return r.Pattern
}

func levelOf(status int) slog.Level {
	if status >= http.StatusInternalServerError {
		return slog.LevelWarn
	}
	return slog.LevelDebug
}

// Watched is a ResponseWriter that records the status of the reply.
type Watched struct {
	http.ResponseWriter

	Status int
}

// Watch wraps a ResponseWriter.
func Watch(w http.ResponseWriter) *Watched { return &Watched{w, http.StatusOK} }

// WriteHeader records the status and sends it.
func (w *Watched) WriteHeader(status int) {
	w.Status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap supports http.ResponseController.
func (w *Watched) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Repeats is a [slog.Handler] that sums up repeated warnings and errors. The first record of a kind passes
// at once. Further ones are counted, and the last of them passes when the interval ends, with the attribute
// "repeated" for their number. Records are of one kind if level, message and attributes agree, except for
// the attributes of a single request. Records below Warn pass unchanged.
//
// Memory is bounded: kinds beyond the limit count as one. Safe for concurrent use.
type Repeats struct {
	next slog.Handler
	kind string // of the attributes and groups of the logger
	sums *sums
}

var _ slog.Handler = (*Repeats)(nil)

// maxKinds limits how many kinds of records are counted apart.
const maxKinds = 200

// otherKinds is the kind of all records beyond maxKinds.
const otherKinds = ""

// ofRequest names the attributes that differ from request to request.
var ofRequest = map[string]bool{"request": true, "from": true, "took": true} //nolint:gochecknoglobals // it is a constant

// sums are shared by all handlers derived from one.
type sums struct {
	interval time.Duration

	mutex  sync.Mutex
	counts map[string]*sum
}

// A sum counts the records of one kind since one passed.
type sum struct {
	repeated int
	last     slog.Record
	next     slog.Handler // of the last record
	timer    *time.Timer
}

// NewRepeats returns a handler that passes records on to another one.
func NewRepeats(next slog.Handler, interval time.Duration) *Repeats {
	return &Repeats{next: next, sums: &sums{interval: interval, counts: map[string]*sum{}}}
}

// Enabled reports whether the next handler takes records of a level.
func (h *Repeats) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

// WithAttrs returns a handler for a logger with attributes.
func (h *Repeats) WithAttrs(attributes []slog.Attr) slog.Handler {
	var kind strings.Builder
	for _, a := range attributes {
		addKind(&kind, a)
	}
	return &Repeats{next: h.next.WithAttrs(attributes), kind: h.kind + kind.String(), sums: h.sums}
}

// WithGroup returns a handler for a logger with a group.
func (h *Repeats) WithGroup(name string) slog.Handler {
	return &Repeats{next: h.next.WithGroup(name), kind: h.kind + "\x00" + name, sums: h.sums}
}

// Handle passes a record on, or counts it.
func (h *Repeats) Handle(ctx context.Context, record slog.Record) error {
	//nolint:contextcheck // summaries outlive the request
	if record.Level >= slog.LevelWarn && h.sums.counted(h.kindOf(record), record, h.next) {
		return nil
	}
	return h.next.Handle(ctx, record)
}

// kindOf returns the kind of a record.
func (h *Repeats) kindOf(record slog.Record) string {
	var kind strings.Builder
	kind.WriteString(record.Level.String() + "\x00" + record.Message + h.kind)
	record.Attrs(func(a slog.Attr) bool {
		addKind(&kind, a)
		return true
	})
	return kind.String()
}

func addKind(kind *strings.Builder, a slog.Attr) {
	if !ofRequest[a.Key] {
		kind.WriteString("\x00" + a.Key + "=" + a.Value.Resolve().String())
	}
}

// counted counts a record if one of its kind has passed within the interval.
func (s *sums) counted(kind string, record slog.Record, next slog.Handler) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.counts[kind] == nil && len(s.counts) >= maxKinds {
		kind = otherKinds
	}
	if c := s.counts[kind]; c != nil {
		c.repeated++
		c.last, c.next = record.Clone(), next
		return true
	}
	s.counts[kind] = &sum{timer: time.AfterFunc(s.interval, func() { s.pass(kind) })}
	return false
}

// pass ends an interval of a kind. A kind that was not repeated is forgotten.
func (s *sums) pass(kind string) {
	s.mutex.Lock()
	c := s.counts[kind]
	if c == nil || c.repeated == 0 {
		delete(s.counts, kind)
		s.mutex.Unlock()
		return
	}
	write := c.taken()
	c.timer.Reset(s.interval)
	s.mutex.Unlock()
	write()
}

// taken resets the count, and returns a function that writes the last record with that count.
func (c *sum) taken() (write func()) {
	record, next := c.last, c.next
	record.AddAttrs(slog.Int("repeated", c.repeated))
	c.repeated, c.last, c.next = 0, slog.Record{}, nil
	return func() { _ = next.Handle(context.Background(), record) } // as slog.Logger does with errors
}

// Flush passes on all counted records, and resets the counts.
func (h *Repeats) Flush() {
	h.sums.mutex.Lock()
	var writes []func()
	for _, c := range h.sums.counts {
		c.timer.Stop()
		if c.repeated > 0 {
			writes = append(writes, c.taken())
		}
	}
	clear(h.sums.counts)
	h.sums.mutex.Unlock()
	for _, write := range writes {
		write()
	}
}
