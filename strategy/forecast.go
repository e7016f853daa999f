package strategy

// A Forecast estimates how many more answers are needed.
type Forecast struct {
	Median float64 `json:"median"`
	Low    float64 `json:"low"`  // with High, an interval that holds the number
	High   float64 `json:"high"` // in four of five studies

	// Known is false, and the other fields are zero, while there is no forecast.
	Known bool `json:"known"`

	// Hopeless reports that finding the best arm, for any ε, is likely to take more than any
	// reasonable budget: a hundred thousand answers.
	Hopeless bool `json:"hopeless"`

	// Epsilon is the ε that twice the current number of answers would certify.
	Epsilon float64 `json:"epsilon"`
}

// ForecastLimit is the largest number of answers in a forecast for presentation. Beyond it the
// forecast's model is not reliable.
const ForecastLimit = 1e7

const (
	// sooner scales forecasts for presentation. A race stops at the first fluctuation of the
	// evidence that is large enough, so it ends sooner than its average growth predicts.
	// TestLongShownForecast measures the coverage.
	sooner = 0.6

	// widest is the largest ratio of the ends of a range that is shown.
	widest = 10

	// unaffordable is the number of further answers that make a study hopeless if even the lower
	// end of the range is above it.
	unaffordable = 1e4
)

// Shown returns the forecast for presentation after a number of answers. It depends on nothing else,
// so logs keep the original, which can be replayed.
//
// There is no forecast while the total number of answers, those so far plus Low to High, spans more
// than a factor of ten: such forecasts change several-fold from one look to the next. Hopeless and
// Epsilon are shown even then; Hopeless only if Low is at least 10,000. Numbers above
// [ForecastLimit] are 0, for "more than that".
func (f Forecast) Shown(answered int) Forecast {
	f.Low, f.Median, f.High = sooner*f.Low, sooner*f.Median, sooner*f.High
	f.Hopeless = f.Hopeless && f.Low >= unaffordable
	if t := float64(answered); t+f.High > widest*(t+f.Low) {
		return Forecast{Hopeless: f.Hopeless, Epsilon: f.Epsilon}
	}
	for _, n := range []*float64{&f.Median, &f.Low, &f.High} {
		if *n > ForecastLimit {
			*n = 0
		}
	}
	return f
}
