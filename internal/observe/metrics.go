// Package observe exports the metrics of a service to Prometheus and its traces to an OpenTelemetry collector.
// Studies appear under pseudonyms: their IDs are links with which anyone can answer, and do not belong in a
// monitoring system.
package observe

import (
	"net/http"
	"runtime"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"bestpick/internal/access"
	"bestpick/internal/study"
)

// Metrics are the metrics of one process. It is a [study.Observer]. Safe for concurrent use.
type Metrics struct {
	registry   *prometheus.Registry
	build      *prometheus.GaugeVec
	outcomes   *prometheus.CounterVec
	requests   *prometheus.HistogramVec
	plans      prometheus.Histogram
	planErrors prometheus.Counter
	discarded  prometheus.Counter
	attended   prometheus.Gauge
	store      *prometheus.HistogramVec
	webhooks   *prometheus.CounterVec
	failures   *prometheus.CounterVec
	answers    *prometheus.GaugeVec
	deck       *prometheus.GaugeVec
	evidence   *prometheus.GaugeVec
	contenders *prometheus.GaugeVec
	planned    *prometheus.GaugeVec
	uncounted  *prometheus.GaugeVec
	due        prometheus.Gauge
	perStudy   bool
}

var _ study.Observer = (*Metrics)(nil)

// NewMetrics returns metrics with all counters at zero. perStudy adds series for each study that this process plans.
func NewMetrics(perStudy bool) *Metrics {
	const studyLabel = "study"
	gauge := func(name, help string) *prometheus.GaugeVec {
		return prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, []string{studyLabel})
	}
	m := &Metrics{
		registry: prometheus.NewRegistry(), perStudy: perStudy,
		build: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "bestpick_build_info", Help: "Always 1; the labels are the version of the program and of Go.",
		}, []string{"version", "go"}),
		outcomes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "bestpick_outcomes_total", Help: "Acknowledged outcomes of questions, by kind.",
		}, []string{"kind"}),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "bestpick_request_seconds", Help: "Duration of requests, by route, method and status.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2, 15),
		}, []string{"route", "method", "status"}),
		plans: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "bestpick_plan_seconds", Help: "Duration of planning, including writing the plan.",
			Buckets: prometheus.ExponentialBuckets(0.001, 2, 16),
		}),
		planErrors: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "bestpick_plan_errors_total", Help: "Failures while planning, which are retried.",
		}),
		discarded: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "bestpick_plans_discarded_total",
			Help: "Discarded plans: another process took over, or the log changed before the plan was written.",
		}),
		attended: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "bestpick_studies_attended", Help: "Studies that this process has in memory for planning.",
		}),
		store: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "bestpick_store_seconds", Help: "Duration of store operations, by operation.",
			Buckets: prometheus.ExponentialBuckets(0.0001, 2, 16),
		}, []string{"operation"}),
		webhooks: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "bestpick_webhook_attempts_total",
			Help: "Attempts to deliver a verdict, by the state of the webhook afterwards: delivered, waiting (for a retry) or given-up.",
		}, []string{"state"}),
		failures: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "bestpick_store_failures_total", Help: "Failures to reach or write the store, by operation.",
		}, []string{"operation"}),
		answers:    gauge("bestpick_study_answers", "Answers that were counted."),
		deck:       gauge("bestpick_study_deck", "Planned questions that are not claimed yet."),
		evidence:   gauge("bestpick_study_evidence", "The least evidence against a contender, as a share of what refutes it."),
		contenders: gauge("bestpick_study_contenders", "Arms that may still be better than the leader."),
		uncounted: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "bestpick_outcomes_uncounted",
			Help: "Acknowledged outcomes in the database that no plan has counted, of studies that are done and of others.",
		}, []string{"done"}),
		due: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "bestpick_studies_due", Help: "Studies in the database that need a plan although all their outcomes are counted.",
		}),
		planned: gauge("bestpick_study_planned_timestamp_seconds",
			"When this process wrote its last plan. Of several processes, use the latest."),
	}
	m.registry.MustRegister(m.build, m.outcomes, m.requests, m.plans, m.planErrors, m.discarded, m.attended, m.store, m.failures,
		m.webhooks, m.answers, m.deck, m.evidence, m.contenders, m.planned, m.uncounted, m.due,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Handler serves the metrics.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// Version sets the version of the program.
func (m *Metrics) Version(version string) { m.build.WithLabelValues(version, runtime.Version()).Set(1) }

// Request observes a request.
func (m *Metrics) Request(method, route string, status int, took time.Duration) {
	m.requests.WithLabelValues(route, method, strconv.Itoa(status)).Observe(took.Seconds())
}

// Recorded counts an acknowledged outcome.
func (m *Metrics) Recorded(kind study.Kind) { m.outcomes.WithLabelValues(string(kind)).Inc() }

// Planned observes a plan.
func (m *Metrics) Planned(p study.Planned) {
	m.plans.Observe(p.Took.Seconds())
	if !m.perStudy {
		return
	}
	name := access.Pseudonym(p.Study)
	m.answers.WithLabelValues(name).Set(float64(p.Verdict.Answered))
	m.deck.WithLabelValues(name).Set(float64(p.Deck))
	m.contenders.WithLabelValues(name).Set(float64(len(p.Verdict.Contenders) + p.Verdict.Others))
	m.evidence.WithLabelValues(name).Set(p.Evidence)
	m.planned.WithLabelValues(name).SetToCurrentTime()
}

// Backlog sets the numbers of outcomes that no plan has counted, of studies that are done and of others, and of studies
// that need a plan although all their outcomes are counted.
func (m *Metrics) Backlog(done, others, due int64) {
	m.uncounted.WithLabelValues("true").Set(float64(done))
	m.uncounted.WithLabelValues("false").Set(float64(others))
	m.due.Set(float64(due))
}

// Discarded counts a plan that was discarded.
func (m *Metrics) Discarded(string) { m.discarded.Inc() }

// Attended counts a study that this process begins to plan.
func (m *Metrics) Attended(string) { m.attended.Inc() }

// Left removes the gauges of a study that this process no longer plans.
func (m *Metrics) Left(id string) {
	m.attended.Dec()
	for _, gauge := range []*prometheus.GaugeVec{m.answers, m.deck, m.evidence, m.contenders, m.planned} {
		gauge.DeleteLabelValues(access.Pseudonym(id))
	}
}

// PlanFailed counts a failed planning step.
func (m *Metrics) PlanFailed() { m.planErrors.Inc() }

// StoreLatency observes the duration of a store operation.
func (m *Metrics) StoreLatency(operation string, took time.Duration) {
	m.store.WithLabelValues(operation).Observe(took.Seconds())
}

// WebhookAttempt counts an attempt to deliver a webhook, by the state after it.
func (m *Metrics) WebhookAttempt(state string) { m.webhooks.WithLabelValues(state).Inc() }

// StoreFailed counts an operation for which the store was unavailable.
func (m *Metrics) StoreFailed(operation string) { m.failures.WithLabelValues(operation).Inc() }
