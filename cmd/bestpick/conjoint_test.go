package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"bestpick/cmd/bestpick/simulation"
	"bestpick/internal/approx"
	"bestpick/internal/testsupport"
)

// TestConjointWalkThrough goes the way of docs/conjoint.md: what the camera study says is what
// examples/camera-utilities.csv holds, and a study of the profiles with these utilities finds the
// camera with the best level of every attribute.
func TestConjointWalkThrough(t *testing.T) {
	names := map[string]string{
		"canon": "brand=canon", "sony": "brand=sony", "nikon": "brand=nikon", "panasonic": "brand=panasonic", "pixels": "pixels=high",
		"zoom": "zoom=long", "video": "video=high", "swivel": "swivel", "wifi": "wifi", "price": "price",
	}
	report := fitJSON(t, testsupport.DataPath(t, "camera.csv"), "--features",
		"canon,sony,nikon,panasonic,pixels,zoom,video,swivel,wifi,price", "--respondent", "respondent")
	if report.Tasks != 5312 {
		t.Errorf("%d tasks", report.Tasks)
	}
	own, err := simulation.InstanceFlags{
		Catalogue: "../../examples/camera.yaml", Utilities: "../../examples/camera-utilities.csv",
	}.Make()
	testsupport.NoError(t, err)
	utilities := map[string]float64{}
	for _, parameter := range report.Parameters {
		utilities[names[parameter.Name]] = parameter.Estimate
	}
	fitted := testsupport.Value(own.Encoding.Theta(utilities)).OrFail(t)
	truth := own.Encoding.Effects(fitted)
	for i, effect := range own.Encoding.Effects(own.Theta) {
		approx.Equal(t, effect.String(), effect.Utility, truth[i].Utility, 6e-4)
	}
	var out, errOut bytes.Buffer
	arguments := []string{
		"simulate", "--catalogue", "../../examples/camera.yaml", "--utilities",
		"../../examples/camera-utilities.csv", "--k", "4", "--runs", "1", "--epsilon", "2", "--json",
	}
	if status := run(arguments, strings.NewReader(""), &out, &errOut); status != 0 {
		t.Fatalf("exit status %d: %s", status, errOut.String())
	}
	var study struct {
		Certified int    `json:"certified"`
		Correct   int    `json:"correct"`
		Best      string `json:"best"`
	}
	testsupport.NoError(t, json.Unmarshal(out.Bytes(), &study))
	if study.Certified != 1 || study.Correct != 1 ||
		study.Best != "brand=canon, pixels=high, zoom=long, video=high, swivel=yes, wifi=yes, price=0.79" {
		t.Errorf("%d certified, %d correct, best %s", study.Certified, study.Correct, study.Best)
	}
}
