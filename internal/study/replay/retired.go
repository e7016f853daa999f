package replay

import (
	"encoding/json"

	"bestpick/internal/study"
	"bestpick/strategy/racing"
)

// A readLine is an exportLine as [Verify] reads it. Logs of version 1 also have the settings of the
// paper's strategies, which no study used. Version 2 does not have them, see [exportLine.sameAs].
type readLine struct {
	exportLine

	Study *readStudy `json:"study"`
}

type readStudy struct {
	study.Study

	Settings readSettings `json:"settings"`
}

type readSettings struct {
	study.Settings

	Strategy struct {
		racing.Settings
		retired
	} `json:"strategy"`
}

// retired are the settings that version 1 has and racing never used.
type retired struct {
	Kappa     json.RawMessage `json:"kappa"`
	Ridge     json.RawMessage `json:"ridge"`
	Mu        json.RawMessage `json:"mu"`
	Explore   json.RawMessage `json:"explore"`
	Criterion json.RawMessage `json:"criterion"`
	Ties      json.RawMessage `json:"ties"`
	Alpha     json.RawMessage `json:"alpha"`
	Batches   json.RawMessage `json:"batches"`
}

// line returns the line without the retired settings.
func (l readLine) line() exportLine {
	line := l.exportLine
	if l.Study != nil {
		st := l.Study.Study
		st.Settings = l.Study.Settings.Settings
		st.Settings.Strategy = l.Study.Settings.Strategy.Settings
		line.Study = &st
	}
	return line
}
