package wire

import (
	"time"
)

// A Member is a respondent of a panel.
type Member struct {
	Name    string    `json:"name" doc:"The name under which the member's answers are recorded."`
	Segment string    `json:"segment,omitempty" doc:"The member's part of the population. It overrides the segment in requests."`
	Key     string    `json:"key" doc:"Authenticates requests of this member. Secret and unguessable."`
	Link    string    `json:"link" doc:"The page where the member answers. It contains the key, so share it with this member only."`
	Done    int       `json:"done" doc:"The number of questions answered or skipped."`
	Added   time.Time `json:"added"`
}

// A Panel is a page of a study's panel.
type Panel struct {
	Members []Member `json:"members" nullable:"false"`
	Next    string   `json:"next,omitempty" doc:"The cursor of the next page; absent on the last page."`
}

// A NewMember describes a respondent to add to a panel.
type NewMember struct {
	Name    string `json:"name" minLength:"1" maxLength:"200" doc:"Any text. Names are unique."`
	Segment string `json:"segment,omitempty" maxLength:"200" doc:"The member's part of the population. Defaults to the segment in the member's requests."`
}

// NewMembers is a list of respondents to add to a panel.
type NewMembers struct {
	Members []NewMember `json:"members" minItems:"1" maxItems:"300" nullable:"false"`
}

// A Joined reports how many members an upload added.
type Joined struct {
	Members int `json:"members" doc:"The number of members in the file."`
	Added   int `json:"added" doc:"The number of new members. The others keep their keys."`
}

// A Removal names members to remove. Names are in the body, not in the path, because they may be
// any text.
type Removal struct {
	Names []string `json:"names" minItems:"1" maxItems:"500" nullable:"false"`
}

// A Removed reports how many members were removed.
type Removed struct {
	Removed int `json:"removed" doc:"The number of names that were members."`
}

// A Renewal names a member whose key to renew.
type Renewal struct {
	Name string `json:"name" minLength:"1" maxLength:"1000"`
}

// An Erase names a respondent whose data to delete. The name is in the body, not in the path,
// because it may be any text.
type Erase struct {
	Respondent string `json:"respondent" minLength:"1" maxLength:"1000" doc:"The name as in requests for questions, or in an imported file of answers."`
}

// An Erased reports the deleted data and the effect on the verdict.
type Erased struct {
	Answers   int     `json:"answers" doc:"The number of deleted answers, including imported ones."`
	Skips     int     `json:"skips" doc:"The number of deleted skips."`
	TakenBack int     `json:"taken_back" doc:"The number of deleted answers that the respondent had taken back."`
	Member    bool    `json:"member" doc:"Whether the respondent was a member of the panel and was removed."`
	Sentence  string  `json:"sentence" doc:"The effect on the verdict."`
	Before    Verdict `json:"before"`
	After     Verdict `json:"after" doc:"Provisional if it has counting: the remaining answers are then being counted again."`
}
