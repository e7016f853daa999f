// Package tracing sends spans of requests, plans and store operations to an OpenTelemetry collector, if the standard
// environment variables name one. Otherwise tracing is off and costs nothing.
//
// Spans contain no secrets: studies have their pseudonyms from metrics, addresses are routes, and there is no token,
// query, header or body.
package tracing

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"bestpick/internal/metrics"
)

// A Tracer starts spans. Safe for concurrent use.
type Tracer struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
}

// Options configure a tracer.
type Options struct {
	// Environment returns environment variables. Usually os.Getenv.
	Environment func(name string) string

	// Version is the version of the program.
	Version string

	// Report is called with an error when sending fails, and with nil when it works again. Defaults to nothing.
	Report func(err error)
}

// New returns a tracer, or nil if no collector is configured.
func New(ctx context.Context, o Options) (*Tracer, error) {
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
	return attribute.String("bestpick.study", metrics.Name(id))
}
