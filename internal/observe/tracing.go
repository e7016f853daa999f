package observe

import (
	"context"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"bestpick/internal/access"
	"bestpick/internal/middleware"
	"bestpick/internal/study/planning"
)

// A Tracer sends spans of requests, plans and store operations to an OpenTelemetry collector. Spans contain
// no secrets: addresses are routes, and there is no token, query, header or body. Safe for concurrent use.
type Tracer struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
}

// TracerOptions configure a tracer.
type TracerOptions struct {
	// Environment returns environment variables. Usually os.Getenv.
	Environment func(name string) string

	// Version is the version of the program.
	Version string

	// Report is called with an error when sending fails, and with nil when it works again. Defaults to nothing.
	Report func(err error)
}

// NewTracer returns a tracer, or nil if the standard environment variables name no collector. Then tracing
// is off and costs nothing.
func NewTracer(ctx context.Context, o TracerOptions) (*Tracer, error) {
	if o.Report == nil {
		o.Report = func(error) {}
	}
	to, err := readDestination(o.Environment)
	if err != nil || to.endpoint == "" {
		return nil, err
	}
	exporter, err := otlptrace.New(ctx, &collector{destination: to, report: o.Report})
	if err != nil {
		return nil, err
	}
	described, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "bestpick"), attribute.String("service.version", o.Version)),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, err
	}
	provider := sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(described))
	return &Tracer{provider, provider.Tracer("bestpick")}, nil
}

// Close sends the remaining spans, within 5 seconds.
func (t *Tracer) Close(ctx context.Context) error {
	const patience = 5 * time.Second
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	return t.provider.Shutdown(ctx)
}

// studyName is the attribute of a study.
func studyName(id string) attribute.KeyValue {
	return attribute.String("bestpick.study", access.Pseudonym(id))
}

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
