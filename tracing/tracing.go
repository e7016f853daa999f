// Package tracing tells an OpenTelemetry collector how long requests, plans and the store take, if the usual
// variables of the environment say where one is. Otherwise nothing of it is in the way of anybody.
//
// Nothing that is told is a secret: studies have the names that they have in metrics, addresses are routes, and there
// is no token, query, header or body.
package tracing

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"bestpick/metrics"
)

// A Tracer makes spans.
type Tracer struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
}

// Options are what a tracer needs.
type Options struct {
	// Environment is where the variables are, such as os.Getenv.
	Environment func(name string) string

	// Version is that of the program.
	Version string

	// Report is told when spans cannot be sent, and when they can again, which is without an error. Default nobody is.
	Report func(err error)
}

// New returns a tracer, or nil if nobody wants one.
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

// Close sends what is left, for some seconds at most.
func (t *Tracer) Close(ctx context.Context) error {
	const patience = 5 * time.Second
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	return t.provider.Shutdown(ctx)
}

// named is the attribute of a study.
func named(id string) attribute.KeyValue {
	return attribute.String("bestpick.study", metrics.Name(id))
}
