package api

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"bestpick/wire"
)

// differences returns the JSON names of the fields that differ between two versions of a study.
func differences(was, is wire.Study) (fields []string) {
	if was.Name != is.Name {
		fields = append(fields, "name")
	}
	if was.Prompt != is.Prompt {
		fields = append(fields, "prompt")
	}
	if !reflect.DeepEqual(was.Page, is.Page) {
		fields = append(fields, "page")
	}
	if was.Panel != is.Panel {
		fields = append(fields, "panel")
	}
	before, after := asFields(was.Settings), asFields(is.Settings)
	both := maps.Clone(before)
	maps.Copy(both, after)
	for _, name := range slices.Sorted(maps.Keys(both)) {
		if string(before[name]) != string(after[name]) {
			fields = append(fields, "settings."+name)
		}
	}
	return fields
}

// asFields returns settings by JSON name, without empty ones.
func asFields(settings wire.Settings) map[string]json.RawMessage {
	text, err := json.Marshal(settings)
	if err != nil {
		panic("api: " + err.Error())
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		panic("api: " + err.Error())
	}
	return fields
}
