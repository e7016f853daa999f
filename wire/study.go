// Package wire is what goes over the wire: the JSON of the HTTP interface, for the server and for
// clients. The tags of its fields are what the description of the interface says about them.
package wire

import "time"

// A Study is what its owner has set up, and where it stands.
type Study struct {
	ID        string    `json:"id" doc:"Unguessable: whoever has it may answer, unless there is a panel."`
	Name      string    `json:"name"`
	Prompt    string    `json:"prompt"`
	State     string    `json:"state" enum:"draft,open,paused,done"`
	Reason    string    `json:"reason,omitempty" enum:"certified,refuted,stopped,spent,lapsed" doc:"Why it is done: the best arm is certified; the answers do not fit the model; its owner stopped it; the budget is spent; or it was one of these, and is not without answers that were erased, so that it can be opened again."`
	Settings  Settings  `json:"settings"`
	Arms      int       `json:"arms" doc:"How many arms there are, those withdrawn included."`
	Withdrawn int       `json:"withdrawn" doc:"How many of them are withdrawn."`
	Panel     bool      `json:"panel" doc:"Only members of its panel may answer, each with a link of their own."`
	Link      string    `json:"link" doc:"Where respondents answer."`
	Version   int       `json:"version" doc:"Grows with every change. It is in the ETag, too."`
	Created   time.Time `json:"created"`
	Changed   time.Time `json:"changed"`
}

// Settings say how a study is run. What is left out has its default.
type Settings struct {
	K       int     `json:"k,omitempty" minimum:"2" maximum:"100" doc:"How many arms a question shows. Default 3."`
	Picks   int     `json:"picks,omitempty" minimum:"1" maximum:"99" doc:"How many of them are ranked. Default 1."`
	Delta   float64 `json:"delta,omitempty" exclusiveMinimum:"0" maximum:"0.5" doc:"How likely a wrong verdict may be. Default 0.05."`
	Epsilon float64 `json:"epsilon,omitempty" minimum:"0" maximum:"1000" doc:"How much better, in utility, another arm may be than the one that is certified. Default 0."`
	Verify  float64 `json:"verify,omitempty" minimum:"0" maximum:"1000" doc:"How much of an arm's appeal features may miss, in utility, and it would be noticed before stopping. Costs answers. Default 0, not at all."`
	Model   *Model  `json:"model,omitempty" doc:"What picks may depend on besides the features. Default nothing."`
	Budget  int     `json:"budget,omitempty" minimum:"0" maximum:"1000000000" doc:"After how many answers the study ends in any case. Default never."`
	Each    int     `json:"each,omitempty" minimum:"0" maximum:"1000000" doc:"How many questions one respondent may answer or skip. Default no limit."`
	Plain   bool    `json:"plain_cards,omitempty" doc:"Respondents see of an arm its picture, label and description, and not its attributes. Not for the profiles of a product, of which there is nothing else to see. Default false."`
	Lease   float64 `json:"lease_seconds,omitempty" minimum:"1" maximum:"604800" doc:"How long a question is a respondent's to answer: a second or more. Default 300."`
	Grace   float64 `json:"grace_seconds,omitempty" minimum:"-1" maximum:"3600" doc:"How long an answer can be taken back; it is counted after that. Default 10; -1 for not at all."`
	Seed    uint64  `json:"seed,omitempty" maximum:"9007199254740991" doc:"Makes the questions repeatable. Default a random one."`
}

// A Model is what picks may depend on besides the features of the arms.
type Model struct {
	Slots      bool      `json:"slots,omitempty" doc:"The place on the screen."`
	Intercepts bool      `json:"intercepts,omitempty" doc:"A constant of each arm."`
	Clicks     bool      `json:"clicks,omitempty" doc:"An unknown share of picks is at random."`
	Segments   []Segment `json:"segments,omitempty" maxItems:"100" nullable:"false" doc:"Parts of the population that differ, of which every respondent names one."`
}

// Columns say how to read a file of arms where the recognised way is not the one meant.
type Columns struct {
	Kinds   map[string]string `json:"kinds,omitempty" doc:"Kinds of columns by name: id, label, description, image, number, date, month, category, boolean, embedding or ignored. Default: recognised."`
	Missing map[string]string `json:"missing,omitempty" doc:"What to do about missing values, by column: drop the arms; mean, with an indicator, for numbers and booleans; level, for categories. Default mean or level."`
}

// A Segment is a part of the population.
type Segment struct {
	Name  string  `json:"name" minLength:"1" maxLength:"200"`
	Share float64 `json:"share" exclusiveMinimum:"0" maximum:"1000000000" doc:"Of the population; shares need not sum to 1."`
}

// A Change is what an owner changes of a study. What is left out stays.
type Change struct {
	Name     *string   `json:"name,omitempty" minLength:"1" maxLength:"200"`
	Prompt   *string   `json:"prompt,omitempty" maxLength:"2000"`
	Panel    *bool     `json:"panel,omitempty" doc:"Whether only members of the panel may answer. Adding members makes it true; removing them does not make it false."`
	Settings *Settings `json:"settings,omitempty" doc:"All of them: what is left out gets its default. Once a study is open only budget, each, lease_seconds and grace_seconds may differ from what they are."`
}

// Studies are a page of the list.
type Studies struct {
	Studies []Study `json:"studies" nullable:"false"`
	Next    string  `json:"next,omitempty" doc:"The cursor of the next page; absent on the last one."`
}

// Created is a new study, with what a statistician would raise before it is opened.
type Created struct {
	Study    Study     `json:"study"`
	Warnings []Warning `json:"warnings" nullable:"false"`
}

// A Warning is something about the arms.
type Warning struct {
	Column string `json:"column,omitempty"`
	Text   string `json:"text"`
}
