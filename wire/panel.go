package wire

import "time"

// A Member is a respondent of a panel.
type Member struct {
	Name    string    `json:"name" doc:"Under which their answers are recorded."`
	Segment string    `json:"segment,omitempty" doc:"Which part of the population they belong to, whatever they say."`
	Key     string    `json:"key" doc:"What they ask with. Unguessable: whoever has it is this member."`
	Link    string    `json:"link" doc:"Where they answer. The key is in it, so it is for them alone."`
	Done    int       `json:"done" doc:"Questions they have answered or skipped."`
	Added   time.Time `json:"added"`
}

// A Panel is a page of the list.
type Panel struct {
	Members []Member `json:"members" nullable:"false"`
	Next    string   `json:"next,omitempty" doc:"The cursor of the next page; absent on the last one."`
}

// A NewMember is somebody who is to be in a panel.
type NewMember struct {
	Name    string `json:"name" minLength:"1" maxLength:"200" doc:"Any text. No two are called the same."`
	Segment string `json:"segment,omitempty" maxLength:"200" doc:"Which part of the population they belong to, whatever they say. Default what they say."`
}

// NewMembers are some of them.
type NewMembers struct {
	Members []NewMember `json:"members" minItems:"1" maxItems:"300" nullable:"false"`
}

// A Joined says how many were put into a panel.
type Joined struct {
	Members int `json:"members" doc:"How many there are in the file."`
	Added   int `json:"added" doc:"How many of them are new. The others keep their keys."`
}

// A Removal names members who are removed. Names are not part of an address, as they may be any text.
type Removal struct {
	Names []string `json:"names" minItems:"1" maxItems:"500" nullable:"false"`
}

// A Removed says how many were removed.
type Removed struct {
	Removed int `json:"removed" doc:"How many were members."`
}

// A Renewal names a member who gets another key.
type Renewal struct {
	Name string `json:"name" minLength:"1" maxLength:"1000"`
}
