package tracing

import (
	"context"

	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"bestpick/internal/study/planning"
)

// Plan starts a span of a planning step. It is a [study.Options] Trace. Idle steps leave no span.
func (t *Tracer) Plan(ctx context.Context, id string) (context.Context, func(planning.Activity, error)) {
	ctx, span := t.tracer.Start(ctx, "plan", trace.WithAttributes(studyName(id))) //nolint:spancheck // a span that does not end is never sent
	return ctx, func(activity planning.Activity, err error) {                     //nolint:spancheck // see above
		if err != nil {
			span.SetStatus(codes.Error, "") // the log says why
		}
		if err != nil || activity != planning.Idle {
			span.End()
		}
	}
}

// Operation starts a span of an operation of the store. Without a tracer it does nothing.
func (t *Tracer) Operation(ctx context.Context, operation, id string) (context.Context, func(error)) {
	if t == nil {
		return ctx, func(error) {}
	}
	ctx, span := t.tracer.Start(ctx, "store "+operation, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(studyName(id))) //nolint:spancheck // the caller ends it
	return ctx, func(err error) {                                                                                                       //nolint:spancheck // see above
		if err != nil {
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}
