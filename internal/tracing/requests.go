package tracing

import (
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"bestpick/internal/middleware"
)

// Requests is middleware that traces requests, within the trace of their traceparent header. It belongs inside
// [middleware.Log], which gives requests their IDs.
func (t *Tracer) Requests(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
		ctx, span := t.tracer.Start(ctx, r.Method, trace.WithSpanKind(trace.SpanKindServer))
		defer span.End()
		watched := middleware.Watch(w)
		traced := r.WithContext(ctx)
		next.ServeHTTP(watched, traced)
		r.Pattern = traced.Pattern // for outer middleware
		route := middleware.RouteOf(traced)
		span.SetName(r.Method + " " + route)
		span.SetAttributes(attribute.String("http.request.method", r.Method), attribute.String("http.route", route),
			attribute.Int("http.response.status_code", watched.Status), attribute.String("bestpick.request", middleware.RequestOf(ctx)))
		if id := traced.PathValue("study"); id != "" {
			span.SetAttributes(studyName(id))
		}
		if watched.Status >= http.StatusInternalServerError {
			span.SetStatus(codes.Error, "")
		}
	})
}
