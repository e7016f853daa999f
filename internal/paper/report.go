package paper

import (
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strconv"

	"bestpick/simulate"
	"bestpick/theory"
)

// A Report is a page that compares exhibits with the paper.
type Report struct {
	Version  string // of the program
	Seed     uint64
	Exhibits []Reported
	Settings []Setting
	Worth    Worth
	Fewer    bool // some exhibit has fewer runs than in the paper
}

// Reported is an exhibit with its results.
type Reported struct {
	Exhibit

	Runs     int
	Numbers  *Table
	Findings []Finding
	Agree    int // of the findings
	Picture  template.URL
}

// A Setting is a choice, by the paper or by this reproduction.
type Setting struct{ Name, Value, Source string }

// Worth assesses the guarantee of the paper at its settings: d = 7, K = 3.
type Worth struct {
	Gap, Kappa, LowerBound float64
}

// Add adds an exhibit to the page.
func (p *Report) Add(e Exhibit, r Results, runs int) {
	p.Fewer = p.Fewer || runs < e.Runs
	findings := e.Findings(r)
	p.Exhibits = append(p.Exhibits, Reported{
		Exhibit: e, Runs: runs, Numbers: e.Table(r), Findings: findings, Agree: agreement(findings),
		Picture: template.URL("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(e.Draw(r))),
	})
}

// NewReport returns a page without exhibits.
func NewReport(version string, seed uint64) (*Report, error) {
	p := &Report{Version: version, Seed: seed, Settings: settings(seed)}
	instance, err := simulate.Soare(7, omega, 0)
	if err != nil {
		return nil, err
	}
	problem := theory.Problem{Catalogue: instance.Catalogue, Theta: instance.Theta, K: 3, Delta: delta}
	characteristic, err := problem.CharacteristicTime(theory.Exact, theory.Enumerate, 1e-3)
	if err != nil {
		return nil, err
	}
	_, p.Worth.Gap = instance.Best()
	p.Worth.LowerBound = characteristic.Time * problem.LogError()
	p.Worth.Kappa, err = problem.Kappa()
	return p, err
}

// settings lists the settings that all runs share.
func settings(seed uint64) []Setting {
	const stated, open = "stated in the paper", "left open by the paper"
	return []Setting{
		{"arms", fmt.Sprintf("a_i = e_i for i ≤ d, a_{d+1} = (cos ω, sin ω, 0, …), ω = %g", omega), stated},
		{"θ*", "(2, 0, …, 0)", stated},
		{"δ", fmt.Sprint(delta), stated},
		{"κ of the bound", fmt.Sprint(kappa), stated + ", without tuning"},
		{
			"ridge λ", fmt.Sprintf("%g, on the mean log-likelihood", ridge),
			"λ " + stated + "; the mean was chosen: on the sum, runs stop at once with a wrong arm",
		},
		{"μ", fmt.Sprint(mu), stated},
		{"random questions", fmt.Sprintf("%d at the start, of each batch too; arms drawn independently, at least two different",
			explore), stated + " (Algorithm 1, line 4)"},
		{"ties in the greedy rule", "broken at random", open + "; taking the first arm never stops"},
		{"α of the adaptive strategy", fmt.Sprintf("%g (Soare et al.); %g in a second line of Table 1", alphaOfSoare,
			alphaToMeet), open + "; the second was chosen to meet Table 1"},
		{"batch rule", "ρ_j/t ≥ α·ρ_{j−1}/n_{j−1} as it is written", "two readings; the analysis normalises ρ"},
		{"arm returned by the adaptive strategy", "the one left", "main text; the appendix says the best by the last estimate"},
		{"Gaussian noise", fmt.Sprintf("σ = %d", sigma), stated},
		{"dimensions and sizes of Figure 1", "d = 3 … 9; K = 2 … 6", open + " (its figures have no numbers in the text)"},
		{"seed", strconv.FormatUint(seed, 10), "chosen here"},
	}
}

//go:embed report.html
var page string

// WriteHTML writes the page, which is self-contained.
func (p *Report) WriteHTML(w io.Writer) error {
	parsed, err := template.New("report").Parse(page)
	if err != nil {
		return err
	}
	return parsed.Execute(w, p)
}
