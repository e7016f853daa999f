package tracing

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"bestpick/study"
)

// Plan makes a span of a planning step, for [study.Options]. Idle steps have none.
func (t *Tracer) Plan(ctx context.Context, id string) (context.Context, func(study.Activity, error)) {
	ctx, span := t.tracer.Start(ctx, "plan", trace.WithAttributes(named(id))) //nolint:spancheck // a span that does not end is never sent
	return ctx, func(activity study.Activity, err error) {                    //nolint:spancheck // see above
		if err != nil {
			span.SetStatus(codes.Error, "") // the log says why
		}
		if err != nil || activity != study.Idle {
			span.End()
		}
	}
}

// Store wraps a store with spans for the operations that respondents and planners wait for.
func (t *Tracer) Store(store study.Store) study.Store { return tracedStore{store, t} }

type tracedStore struct {
	study.Store

	tracer *Tracer
}

func (s tracedStore) Record(ctx context.Context, id string, each int, outcomes ...study.Outcome) (refused []error, err error) {
	ctx, end := s.tracer.call(ctx, "record", id)
	defer func() { end(err) }()
	return s.Store.Record(ctx, id, each, outcomes...)
}

func (s tracedStore) Claim(ctx context.Context, id string, n int, now time.Time) (c study.Claim, err error) {
	ctx, end := s.tracer.call(ctx, "claim", id)
	defer func() { end(err) }()
	return s.Store.Claim(ctx, id, n, now)
}

func (s tracedStore) Respondent(ctx context.Context, id, respondent string) (h study.History, err error) {
	ctx, end := s.tracer.call(ctx, "respondent", id)
	defer func() { end(err) }()
	return s.Store.Respondent(ctx, id, respondent)
}

func (s tracedStore) Append(ctx context.Context, id, planner string, p study.Plan) (err error) {
	ctx, end := s.tracer.call(ctx, "append", id)
	defer func() { end(err) }()
	return s.Store.Append(ctx, id, planner, p)
}

// call makes a span of a store operation.
func (t *Tracer) call(ctx context.Context, operation, id string) (context.Context, func(error)) {
	ctx, span := t.tracer.Start(ctx, "store "+operation, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(named(id))) //nolint:spancheck // the caller ends it
	return ctx, func(err error) {                                                                                                   //nolint:spancheck // see above
		if err != nil {
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}
