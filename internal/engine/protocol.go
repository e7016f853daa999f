package engine

import (
	"encoding/json"

	"bestpick/internal/catalogue"
	"bestpick/strategy"
	"bestpick/strategy/racing"
	"bestpick/wire"
)

// command is the part that all requests share.
type command struct {
	Command string `json:"command"`
}

// A startRequest starts a race.
type startRequest struct {
	command

	// Options is a list of names, or of objects with the attributes of the options.
	Options json.RawMessage `json:"options"`

	// Kinds are the kinds of attributes, by name. Defaults to recognised kinds.
	Kinds map[string]catalogue.Kind `json:"kinds"`

	// Settings configures the race. Defaults to the settings of a live study.
	Settings wanted `json:"settings"`
}

// wanted are the settings that a program asks for. Those of the guarantee have defaults that depend on the others.
type wanted struct {
	racing.Settings

	Epsilon  *float64 `json:"epsilon"`
	Verify   *float64 `json:"verify"`
	Fallback *float64 `json:"fallback"`
	Fakes    *int     `json:"fakes"`
	Picks    int      `json:"picks"`
}

// settings are those of a race, and how many arms of a question an answer ranks.
type settings struct {
	racing.Settings

	Picks int `json:"picks"`
}

// A restoreRequest continues the race of a snapshot.
type restoreRequest struct {
	command

	Snapshot string `json:"snapshot"`
}

// A plainRequest has no further fields: verdict, estimate, leaderboard and snapshot.
type plainRequest struct{ command }

// An askRequest asks for a question for a person who arrives now and has one question.
type askRequest struct {
	command

	Segment string `json:"segment"`
}

// A dealRequest asks for all questions of a person who arrives now.
type dealRequest struct {
	command

	Respondent string `json:"respondent"`
	Segment    string `json:"segment"`
	Questions  int    `json:"questions"`
}

// A questionRequest names an outstanding question by its arms and the respondent who has it: lose. Without a
// respondent it is one of ask, the only one with these arms.
type questionRequest struct {
	command

	Arms       []int  `json:"arms"`
	Respondent string `json:"respondent"`
}

// An answerRequest answers an outstanding question: tell.
type answerRequest struct {
	command

	Arms       []int  `json:"arms"`
	Picks      []int  `json:"picks"` // arms of the question, best first
	Respondent string `json:"respondent"`
}

// An endRequest says that a respondent answers nothing more.
type endRequest struct {
	command

	Respondent string `json:"respondent"`
}

// started is the reply to start and restore.
type started struct {
	Arms     int             `json:"arms"`
	Options  json.RawMessage `json:"options,omitempty"` // only of restore
	Settings settings        `json:"settings"`          // with defaults
	Warnings []wire.Warning  `json:"warnings"`
}

// question is a part of the replies to ask and deal.
type question struct {
	Arms       []int  `json:"arms,omitempty"`
	Picks      int    `json:"picks,omitempty"` // how many of them to rank
	Respondent string `json:"respondent,omitempty"`
}

// asked is the reply to ask. Without arms the race has stopped.
type asked struct {
	Status strategy.Status `json:"status"`

	question //nolint:embeddedstructfieldcheck // the status comes first in replies
}

// dealt is the reply to deal. Without questions the race has stopped.
type dealt struct {
	Status    strategy.Status `json:"status"`
	Questions []question      `json:"questions"`
}

// counted is the reply to tell, lose and end.
type counted struct {
	Status strategy.Status `json:"status"`
}

// A verdict is the reply to verdict. Arms are positions in the list of options, from 0.
type verdict struct {
	Status      strategy.Status     `json:"status"`
	Assumption  strategy.Assumption `json:"assumption"`
	Statement   string              `json:"statement,omitempty"` // once the leader is certified
	Leader      int                 `json:"leader"`
	Contenders  []strategy.Standing `json:"contenders"` // the leader is not among them
	Others      int                 `json:"others"`     // further contenders
	Rivals      int                 `json:"rivals"`
	Eliminated  int                 `json:"eliminated"`
	Progress    float64             `json:"progress"`
	Asked       int                 `json:"asked"`
	Answers     int                 `json:"answers"`
	Respondents int                 `json:"respondents"`
	Partial     bool                `json:"partial,omitempty"`
	Withstands  int                 `json:"withstands,omitempty"`
	Proven      *proven             `json:"proven,omitempty"`
	Doubts      []doubt             `json:"doubts,omitempty"`
	Threshold   float64             `json:"threshold"`
	Forecast    wire.Forecast       `json:"forecast"`
	Model       wire.Fit            `json:"model"`
	Misfits     []strategy.Misfit   `json:"misfits"`
	Cycle       []int               `json:"cycle"`
}

// proven says that no other arm is chosen over an arm by more than a share of the people.
type proven struct {
	Arm   int     `json:"arm"`
	Share float64 `json:"share"`
}

// A doubt is [wire.Doubt] with positions of arms, which mean nothing in a doubt about the number of people.
type doubt struct {
	Kind      string  `json:"kind"`
	Arm       int     `json:"arm"`
	Rival     int     `json:"rival"`
	Chosen    float64 `json:"chosen,omitempty"`
	Otherwise float64 `json:"otherwise,omitempty"`
	People    int     `json:"people"`
	Text      string  `json:"text"`
}

// leaderboard is the reply to leaderboard: all arms, the largest estimated utility first.
type leaderboard struct {
	Leaderboard []place `json:"leaderboard"`
}

// A place is the estimate of one arm.
type place struct {
	Arm     int     `json:"arm"`
	Utility float64 `json:"utility"` // less the mean of all arms

	// Share is that of the people who choose the arm over the leader, by majority, between Low and High.
	Share *float64 `json:"share,omitempty"`
	Low   *float64 `json:"low,omitempty"`
	High  *float64 `json:"high,omitempty"`
}

// snapshotReply is the reply to snapshot.
type snapshotReply struct {
	Snapshot string `json:"snapshot"`
}

// failure is the reply to a request that cannot be executed.
type failure struct {
	Error string `json:"error"`
}
