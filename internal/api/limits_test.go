package api

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bestpick/internal/access"
	"bestpick/internal/study"
	"bestpick/internal/webhook"
	"bestpick/strategy"
	"bestpick/wire"
)

// TestLimits: the limits in the tags of requests equal the constants of the domain.
func TestLimits(t *testing.T) {
	want := map[string]any{
		"Model.Segments maxItems":             study.MaxSegments,
		"Segment.Name maxLength":              study.MaxRespondent,
		"Segment.Share maximum":               study.MaxShare,
		"Change.Name maxLength":               study.MaxName,
		"Change.Prompt maxLength":             study.MaxPrompt,
		"studyForm.Name maxLength":            study.MaxName,
		"studyForm.Prompt maxLength":          study.MaxPrompt,
		"Ask.Respondent maxLength":            study.MaxRespondent,
		"Ask.Segment maxLength":               study.MaxRespondent,
		"Ask.Key maxLength":                   study.MaxRespondent,
		"Answer.Picks maxItems":               study.MaxPicks,
		"NewMember.Name maxLength":            study.MaxRespondent,
		"NewMember.Segment maxLength":         study.MaxRespondent,
		"Renewal.Name maxLength":              study.MaxText,
		"Erase.Respondent maxLength":          study.MaxText,
		"NewToken.Name maxLength":             access.MaxName,
		"Revocation.Name maxLength":           study.MaxText,
		"NewWebhook.URL maxLength":            webhook.MaxURL,
		"Note.Rationale maxLength":            study.MaxRationale,
		"Note.Metadata maxProperties":         study.MaxMetadata,
		"NewStudy.Name maxLength":             study.MaxName,
		"NewStudy.Prompt maxLength":           study.MaxPrompt,
		"RecordedAnswer.Shown maxItems":       study.MaxShown,
		"RecordedAnswer.Picks maxItems":       study.MaxPicks,
		"RecordedAnswer.Respondent maxLength": study.MaxRespondent,
		"RecordedAnswer.Segment maxLength":    study.MaxRespondent,
		"Page.Privacy maxLength":              study.MaxPrompt,
		"Page.Redirect maxLength":             study.MaxPrompt,
		"PageTexts.Prompt maxLength":          study.MaxPrompt,
		"PageTexts.Welcome maxLength":         study.MaxPrompt,
		"PageTexts.Consent maxLength":         study.MaxPrompt,
		"PageTexts.Thanks maxLength":          study.MaxPrompt,
		"Profile.Questions maxItems":          study.MaxProfile,
		"ProfileQuestion.Name maxLength":      study.MaxName,
		"ProfileQuestion.Text maxLength":      study.MaxName,
		"ProfileQuestion.Choices maxItems":    study.MaxChoices,
		"ProfileChoice.Text maxLength":        study.MaxName,
		"ProfileChoice.Quota maximum":         study.MaxBudget,
		"CardColumn.Name maxLength":           study.MaxPrompt,
		"CardColumn.Unit maxLength":           study.MaxUnit,
	}
	for _, l := range study.Limits() {
		field, ok := fieldOf(reflect.TypeFor[wire.Settings](), l.Field)
		if !ok {
			t.Errorf("no field is %s in JSON", l.Field)
		}
		for tag, limit := range map[string]float64{"minimum": l.Min, "maximum": l.Max} {
			if _, has := field.Tag.Lookup(tag); has || l.Field != "delta" && l.Field != "seed" && !l.Open {
				want["Settings."+field.Name+" "+tag] = limit
			}
		}
	}
	found := map[string]string{}
	for _, body := range []any{
		wire.Change{},
		wire.Ask{},
		wire.Answer{},
		wire.NewMembers{},
		wire.Renewal{},
		wire.Erase{},
		wire.Exclude{},
		wire.NewToken{},
		wire.Revocation{},
		wire.NewWebhook{},
		wire.NewStudy{},
		wire.NewAnswers{},
		studyForm{},
	} {
		limitsOf(reflect.TypeOf(body), found)
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		limit, known := want[name]
		if known && number(t, found[name]) != number(t, fmt.Sprint(limit)) {
			t.Errorf("%s is %s, the constant is %v", name, found[name], limit)
		}
		delete(want, name)
	}
	if len(want) > 0 {
		t.Errorf("limits without a tag: %v", want)
	}
}

// TestValues: the constants of package wire are the values in its tags, and those of the domain.
func TestValues(t *testing.T) {
	states, reasons := wire.StateDraft+","+wire.StateOpen+","+wire.StatePaused+","+wire.StateDone, strings.Join([]string{
		wire.ReasonCertified, wire.ReasonRefuted, wire.ReasonCyclic, wire.ReasonStopped, wire.ReasonSpent, wire.ReasonExpired,
		wire.ReasonLapsed,
	}, ",")
	if want := study.Draft + "," + study.Open + "," + study.Paused + "," + study.Done; states != string(want) {
		t.Errorf("the states are %s, want %s", states, want)
	}
	if want := study.Certified + "," + study.Refuted + "," + study.Cyclic + "," + study.Stopped + "," + study.Spent + "," +
		study.Expired + "," +
		study.Lapsed; reasons != string(want) {
		t.Errorf("the reasons are %s, want %s", reasons, want)
	}
	statuses := strings.Join([]string{wire.StatusAsking, wire.StatusDecided, wire.StatusCertified, wire.StatusCyclic}, ",")
	judges, roles := wire.JudgePerson+","+wire.JudgeModel, wire.RoleOwner+","+wire.RoleViewer
	for _, c := range []struct {
		of    any
		field string
		want  string
	}{
		{wire.Study{}, "State", states},
		{wire.Verdict{}, "State", states},
		{wire.Study{}, "Reason", reasons},
		{wire.Verdict{}, "Reason", reasons},
		{wire.Verdict{}, "Status", statuses},
		{wire.Settings{}, "Assume", wire.AssumeMajority + "," + wire.AssumeLinear},
		{wire.Verdict{}, "Assumption", string(strategy.Majority + "," + strategy.Linear)},
		{wire.Outcome{}, "Kind", wire.KindAnswered + "," + wire.KindSkipped + "," + wire.KindUndone},
		{wire.Note{}, "Judge", judges},
		{wire.Judge{}, "Kind", judges},
		{wire.NewToken{}, "Role", roles},
		{wire.AccessToken{}, "Role", string(access.Owner + "," + access.Viewer)},
		{wire.Webhook{}, "State", wire.DeliveryWaiting + "," + wire.DeliveryDelivered + "," + wire.DeliveryGivenUp},
		{wire.Webhook{}, "State", string(webhook.Waiting + "," + webhook.Delivered + "," + webhook.GivenUp)},
		{wire.Outcome{}, "Kind", string(study.Answered + "," + study.Skipped + "," + study.Undone)},
	} {
		field, _ := reflect.TypeOf(c.of).FieldByName(c.field)
		if got := field.Tag.Get("enum"); got != c.want {
			t.Errorf("%T.%s is one of %s, want %s", c.of, c.field, got, c.want)
		}
	}
}

// fieldOf returns the field of a type with a name in JSON.
func fieldOf(of reflect.Type, name string) (found reflect.StructField, ok bool) {
	return of.FieldByNameFunc(func(field string) bool {
		f, _ := of.FieldByName(field)
		inJSON, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		return inJSON == name
	})
}

// limitsOf adds the limits in the tags of the fields of a type, and of their types.
func limitsOf(body reflect.Type, to map[string]string) {
	for body.Kind() == reflect.Pointer || body.Kind() == reflect.Slice || body.Kind() == reflect.Map {
		body = body.Elem()
	}
	if body.Kind() != reflect.Struct {
		return
	}
	for field := range body.Fields() {
		limitsOf(field.Type, to)
		for _, tag := range []string{"minimum", "maximum", "maxLength", "maxItems", "maxProperties"} {
			if value, has := field.Tag.Lookup(tag); has {
				to[fmt.Sprintf("%s.%s %s", body.Name(), field.Name, tag)] = value
			}
		}
	}
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}
