package instances

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	"bestpick/internal/recorded"
	"bestpick/internal/table"
)

// readUtilities reads utilities by name, from a table or from a model that bestpick fit saved.
func readUtilities(path string) (map[string]float64, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, table.ReadError(path, err)
	}
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte{'{'}) {
		return modelUtilities(text, path)
	}
	utilities := map[string]float64{}
	rows, err := table.NewReader(bytes.NewReader(text), path, table.Limits{})
	if err != nil {
		return nil, err
	}
	name, err := rows.Column("name")
	if err != nil {
		return nil, err
	}
	utility, err := rows.Column("utility")
	if err != nil {
		return nil, err
	}
	return utilities, rows.Each(func() (err error) {
		if _, twice := utilities[rows.Text(name)]; twice {
			return rows.Errorf(name, "%q appears twice", rows.Text(name))
		}
		utilities[rows.Text(name)], err = rows.Number(utility)
		return err
	})
}

// modelUtilities returns the estimates of a saved model, without the constants of answers that are no arms.
func modelUtilities(text []byte, path string) (map[string]float64, error) {
	var model struct {
		Parameters []struct {
			Name     string  `json:"name"`
			Estimate float64 `json:"estimate"`
		} `json:"parameters"`
	}
	if err := json.Unmarshal(text, &model); err != nil {
		return nil, &table.Error{File: path, Problem: fmt.Sprintf("this is not a model that bestpick fit saved: %v", err)}
	}
	if len(model.Parameters) == 0 {
		return nil, &table.Error{File: path, Problem: "the model has no parameters; bestpick fit --save writes one"}
	}
	utilities := map[string]float64{}
	for _, p := range model.Parameters {
		utilities[p.Name] = p.Estimate
	}
	delete(utilities, recorded.NoneName)
	delete(utilities, recorded.TieName)
	return utilities, nil
}
