// Package wire defines the JSON of bestpick's HTTP API, for the server and for clients. The doc
// tags of the fields are the descriptions in the OpenAPI document, and the other tags are its
// constraints.
//
// The main types are [Study] and [Settings] for owners, [Ask], [Question] and [Answer] for
// respondents, [Verdict] for results, and [Problem] for errors. The constants that begin with
// urn:bestpick are the values of Problem.Type. Package client sends and receives these types.
package wire

import (
	"encoding/json"
	"time"
)

// A Study describes a study and its state.
type Study struct {
	ID        string    `json:"id" doc:"Unguessable."`
	Name      string    `json:"name"`
	Prompt    string    `json:"prompt"`
	State     string    `json:"state" enum:"draft,open,paused,done"`
	Reason    string    `json:"reason,omitempty" enum:"certified,refuted,cyclic,stopped,spent,expired,lapsed" doc:"Why the study is done. certified: the best arm is certified. refuted: the answers do not fit the model. cyclic: it is certified that there is no favourite. stopped: the owner stopped it. spent: the budget is spent. expired: the deadline has passed. lapsed: the earlier reason no longer holds after an erasure, so that the study can be opened again."`
	Settings  Settings  `json:"settings"`
	Arms      int       `json:"arms" doc:"The number of arms, including withdrawn ones."`
	Withdrawn int       `json:"withdrawn" doc:"The number of withdrawn arms."`
	Page      *Page     `json:"page,omitempty" doc:"What respondents see besides questions; absent if it is the default."`
	Profile   *Profile  `json:"profile,omitempty" doc:"What respondents are asked about themselves; absent without questions."`
	Prior     int       `json:"prior,omitempty" doc:"The number of recorded choices in the prior, which inform questions and predictions but do not count; absent without a prior."`
	Link      string    `json:"link" doc:"The page where respondents answer."`
	Version   int       `json:"version" doc:"Increases with every change. The ETag contains it, too."`
	Created   time.Time `json:"created"`
	Changed   time.Time `json:"changed"`
	Unnamed   time.Time `json:"unnamed,omitzero" doc:"When names, notes and profiles were removed; absent while they are there."`
}

// Settings configures a study. Omitted fields have their defaults. In Go, a Budget of new(0) and a Deadline of
// new(time.Time) say that there is none, which removes them in a [Change].
type Settings struct {
	K        int        `json:"k,omitempty" minimum:"2" maximum:"1000" doc:"The number of arms in a question. Defaults to 3."`
	Picks    int        `json:"picks,omitempty" minimum:"1" maximum:"999" doc:"The number of arms to rank, fewer than k. Under majority defaults to k - 1, so that every answer orders every pair that it shows; under linear, and with best_worst, to 1."`
	Outside  bool       `json:"outside,omitempty" doc:"Also offer none of the arms as an answer. Defaults to false."`
	Ties     bool       `json:"ties,omitempty" doc:"Also offer, as an answer, that all arms shown are equally good: at most 9 arms in a question. Defaults to false."`
	Worst    bool       `json:"best_worst,omitempty" doc:"Ask for the best and the worst arm: at least 3 arms in a question. Defaults to false."`
	Delta    float64    `json:"delta,omitempty" exclusiveMinimum:"0" maximum:"0.5" doc:"The largest probability of a wrong verdict. Defaults to 0.05."`
	Assume   string     `json:"assume,omitempty" enum:"majority,linear" doc:"What the certificate rests on. majority: no other arm is chosen over the certified one by more than half of the people and epsilon, however people differ. linear: one softmax for all people, linear in the features. Defaults to majority, and to linear with more than 300 arms, with a product or a prior, or where model, verify or fallback need linear."`
	Epsilon  *float64   `json:"epsilon,omitempty" minimum:"0" maximum:"50" doc:"The tolerance. Under majority 0.2 is 5 points: no single other arm is chosen over the certified one by more than 55 of 100 people. Under linear the largest lead in utility of another arm over the certified one. Defaults to 0.2 under majority and to 0 under linear."`
	Verify   *float64   `json:"verify,omitempty" minimum:"0" maximum:"50" doc:"Only under linear: before stopping, compare near arms directly with the leader, so that appeal of this size, in utility, that the features miss is noticed. Costs answers. 0 for no comparisons. Defaults to 0.5 under linear, if possible."`
	Fallback *float64   `json:"fallback,omitempty" minimum:"0" exclusiveMaximum:"1" doc:"Only under linear: the share of delta for majority evidence. When the answers refute the model, the study continues under majority. Defaults to 0.25, and to 0 with a model, a product or more than 512 arms."`
	Fakes    *int       `json:"fakes,omitempty" minimum:"0" maximum:"50" doc:"Under majority, or with a fallback to it: how many of the people may be fake, whatever they answer, without making a verdict wrong with a larger probability. More need more answers. Defaults to 2 under majority and with a fallback, and to 0 otherwise and with judges."`
	Weighted bool       `json:"weighted,omitempty" doc:"Only under majority, with model.segments: the verdict is about a population in which segments have the shares of the model, and not about people in the proportions in which they come. Defaults to false."`
	Model    *Model     `json:"model,omitempty" doc:"Effects on picks besides the features. Defaults to none."`
	Top      int        `json:"top,omitempty" minimum:"-1" maximum:"511" doc:"The number of best arms to certify together, fewer than all arms, or under linear -1 for a ranking of all arms. At most 512 arms. No arm is better than one ranked above it by more than epsilon; under majority, no other arm is chosen over one of them by more people than epsilon allows. Under majority, as many arms as a question has must remain when all but the last of them are found. Defaults to 1, the single best arm."`
	Budget   *int       `json:"budget,omitempty" minimum:"0" maximum:"1000000000" doc:"The number of answers after which the study ends in any case; 0 for no limit. Defaults to no limit."`
	Deadline *time.Time `json:"deadline,omitempty" doc:"The time at which the study ends in any case, in whole seconds. Must be in the future. Defaults to none."`
	Each     int        `json:"each,omitempty" minimum:"0" maximum:"1000000" doc:"The number of questions that one respondent may answer or skip. Defaults to no limit."`
	Judges   bool       `json:"judges,omitempty" doc:"Only with contexts: the verdict is about these judges on the mix of contexts, and each answer is one observation. Otherwise it is about the people from whom respondents come, and all answers of a person are one observation. Setting contexts makes it true."`
	People   *int       `json:"least_people,omitempty" minimum:"0" maximum:"10000" doc:"The number of people who must have answered before the study ends with a certificate; until then it goes on asking. 0 for no minimum. Has no effect with judges. Defaults to 30."`
	Days     int        `json:"least_days,omitempty" minimum:"0" maximum:"365" doc:"The number of days, in UTC, on which people must have answered before the study ends with a certificate. Defaults to 0, no minimum."`
	Reading  float64    `json:"reading_seconds,omitempty" minimum:"0" maximum:"3600" doc:"The time in which a question can be read. A faster answer is no evidence, as if it was skipped. Defaults to 0, no limit; studies made on the page have 1."`
	Network  int        `json:"per_network,omitempty" minimum:"0" maximum:"10000" doc:"How many people of one network count in an hour; others are no evidence. A network is the first 24 bits of an IPv4 address, or 64 of an IPv6 address. Members of the panel always count. Defaults to 0, no limit; studies made on the page have 8. Set it if anyone with the link may answer, unless your people come from one place."`
	Straight bool       `json:"straight_lining,omitempty" doc:"Whether people who keep picking the same place on the screen can only count against the leader. Defaults to false; true in studies made on the page."`
	Audience string     `json:"audience,omitempty" enum:"link,ids,signed,personal" doc:"Who may answer. link: anyone with the link; the server names them, and one person can answer as many. ids: people with an id in the link (?pid=), as crowd platforms make them; the id is not checked, so anyone can make one up. signed: people with an id in the link that is signed with the study's key (?pid= and &sig=); making one up needs the key. personal: members of the panel, each with a personal link. Others get 403. A key of the panel is always accepted. Adding members chooses personal; removing them changes nothing. Defaults to link."`
	Notes    bool       `json:"notes,omitempty" doc:"Whether answers may have a rationale and metadata. Defaults to false. With judges they always may."`
	Keep     *int       `json:"retention_days,omitempty" minimum:"0" maximum:"3650" doc:"The number of days after the end of the study when names, notes, profiles and the panel are removed for good; pseudonyms replace names. Can be changed at any time; 0 for never. Defaults to never."`
	Plain    bool       `json:"plain_cards,omitempty" doc:"Show respondents an arm's picture, label and description, but not its attributes. Not for the profiles of a product, which have only attributes. Defaults to false."`
	Lease    float64    `json:"lease_seconds,omitempty" minimum:"1" maximum:"2592000" doc:"The time that a respondent has to answer a question: at least a second. Defaults to 300."`
	Grace    float64    `json:"grace_seconds,omitempty" minimum:"-1" maximum:"2592000" doc:"The time in which an answer can be taken back. It is counted after that. Defaults to 10; -1 for no time."`
	Seed     uint64     `json:"seed,omitempty" maximum:"9007199254740991" doc:"Makes the questions repeatable. Defaults to a random seed."`
}

// A Model selects effects on picks besides the features of the arms.
type Model struct {
	Slots      bool      `json:"slots,omitempty" doc:"Position effects: a constant for each slot of the screen."`
	Intercepts bool      `json:"intercepts,omitempty" doc:"A constant for each arm."`
	Clicks     bool      `json:"clicks,omitempty" doc:"An unknown share of the picks is random."`
	Segments   []Segment `json:"segments,omitempty" maxItems:"100" nullable:"false" doc:"Parts of the population with different preferences. Every respondent names one."`
}

// Columns say how to read a file of arms where the recognised way is not the one meant.
type Columns struct {
	Kinds   map[string]string `json:"kinds,omitempty" doc:"Kinds of columns by name: id, label, description, image, number, date, month, category, boolean, embedding, shown or ignored. Default: recognised."`
	Missing map[string]string `json:"missing,omitempty" doc:"What to do about missing values, by column: drop the arms; mean, with an indicator, for numbers and booleans; level, for categories. Default mean or level."`
}

// A Segment is a part of the population.
type Segment struct {
	Name  string  `json:"name" minLength:"1" maxLength:"200"`
	Share float64 `json:"share" exclusiveMinimum:"0" maximum:"1000000000" doc:"The share of the population. Shares need not sum to 1."`
}

// A Change describes changes of a study. Omitted fields stay the same.
type Change struct {
	Name     *string   `json:"name,omitempty" minLength:"1" maxLength:"200"`
	Prompt   *string   `json:"prompt,omitempty" maxLength:"2000"`
	Page     *Page     `json:"page,omitempty" doc:"What respondents see besides questions: all of it."`
	Profile  *Profile  `json:"profile,omitempty" doc:"What respondents are asked about themselves: all questions."`
	Settings *Settings `json:"settings,omitempty" doc:"Settings to change. Omitted ones stay the same: send a budget of 0, or null as the deadline, to remove a limit. Once a study is open, only audience, budget, deadline, lease_seconds and grace_seconds may change. In a draft, a change of assume, model, top, outside, ties or best_worst restores the defaults of epsilon, verify and fallback, and of assume, if they are omitted."`
}

// A Page describes what respondents see besides questions.
type Page struct {
	Texts    map[string]PageTexts `json:"texts,omitempty" doc:"Texts by language, such as en. The page follows the language of the browser."`
	Privacy  string               `json:"privacy,omitempty" maxLength:"2000" doc:"Address of the privacy notice."`
	Redirect string               `json:"redirect,omitempty" maxLength:"2000" doc:"Address at which respondents continue after the last question. {respondent} is replaced by the respondent's name."`
	Full     string               `json:"redirect_full,omitempty" maxLength:"2000" doc:"The same for respondents whose group is full, or who come after the end of the study."`
	Screened string               `json:"redirect_ineligible,omitempty" maxLength:"2000" doc:"The same for respondents who are not eligible."`
	Code     string               `json:"code,omitempty" maxLength:"200" doc:"A completion code, shown to respondents who have finished."`
	Logo     string               `json:"logo,omitempty" maxLength:"32" doc:"Hash of a stored picture."`
	Accent   string               `json:"accent,omitempty" maxLength:"7" doc:"Colour of buttons, such as #2a56cf. Shades that are hard to read are adjusted."`
	Cards    *CardContent         `json:"cards,omitempty" doc:"What respondents see of an arm. Defaults to everything."`
}

// CardContent says what respondents see of an arm. It can change while a study runs.
type CardContent struct {
	Columns         map[string]CardColumn `json:"columns,omitempty" doc:"How attributes are shown, by name. Others are shown unchanged."`
	HideDescription bool                  `json:"hide_description,omitempty"`
	HidePicture     bool                  `json:"hide_picture,omitempty"`
}

// A CardColumn says how respondents see an attribute.
type CardColumn struct {
	Hidden bool   `json:"hidden,omitempty"`
	Name   string `json:"name,omitempty" maxLength:"2000" doc:"The name that respondents see. Defaults to the name of the attribute."`
	Unit   string `json:"unit,omitempty" maxLength:"50" doc:"Follows each value, such as cm."`
}

// A Profile has the questions that respondents are asked about themselves.
type Profile struct {
	Questions []ProfileQuestion `json:"questions" maxItems:"10" nullable:"false" doc:"In order. Empty for none."`
}

// A ProfileQuestion asks respondents about themselves: the page does, or a program that sends [ProfileAnswers].
type ProfileQuestion struct {
	Name    string          `json:"name" minLength:"1" maxLength:"200" doc:"The column in exports, such as age."`
	Text    string          `json:"text" minLength:"1" maxLength:"200" doc:"What respondents read."`
	Choices []ProfileChoice `json:"choices,omitempty" maxItems:"50" nullable:"false" doc:"The possible answers. Defaults to none: the answer is a number."`
	After   bool            `json:"after,omitempty" doc:"Ask after the last question. Defaults to before the first one."`
	Segment bool            `json:"segment,omitempty" doc:"The answer is the segment of the respondent. The choices must be segments of the study."`
	Least   *float64        `json:"least,omitempty" doc:"The least number. Defaults to no limit."`
	Most    *float64        `json:"most,omitempty" doc:"The largest number. Defaults to no limit."`
}

// A ProfileChoice is a possible answer to a profile question.
type ProfileChoice struct {
	Text     string `json:"text" minLength:"1" maxLength:"200"`
	Quota    int    `json:"quota,omitempty" minimum:"0" maximum:"1000000000" doc:"The largest number of respondents with this answer. A place is reserved with the first question and kept with the first answer; while none is left, others are refused. Defaults to no limit."`
	Excluded bool   `json:"excluded,omitempty" doc:"Whether respondents with this answer are not eligible. Defaults to false."`
}

// PageTexts are the texts of a page in one language.
type PageTexts struct {
	Prompt  string `json:"prompt,omitempty" maxLength:"2000" doc:"The question. Defaults to the prompt of the study."`
	Welcome string `json:"welcome,omitempty" maxLength:"2000" doc:"The text before the first question. Defaults to none."`
	Consent string `json:"consent,omitempty" maxLength:"2000" doc:"The text of a box that respondents must tick. No question is asked without this consent. Defaults to none."`
	Thanks  string `json:"thanks,omitempty" maxLength:"2000" doc:"The text after the last question."`
}

// Studies is a page of the list of studies.
type Studies struct {
	Studies []Study `json:"studies" nullable:"false"`
	Next    string  `json:"next,omitempty" doc:"The cursor of the next page; absent on the last page."`
}

// Created is a new study, with warnings to consider before opening it.
type Created struct {
	Study    Study     `json:"study"`
	Warnings []Warning `json:"warnings" nullable:"false"`
}

// A Warning points out a problem of the arms that does not prevent a study.
type Warning struct {
	Column string `json:"column,omitempty"`
	Text   string `json:"text"`
}

// A NewStudy describes a study to create, with its arms.
type NewStudy struct {
	Name       string            `json:"name" minLength:"1" maxLength:"200" doc:"What the owner calls it."`
	Prompt     string            `json:"prompt,omitempty" maxLength:"2000" doc:"What respondents are asked, such as: Which of these would you buy?"`
	Arms       []json.RawMessage `json:"arms" minItems:"1" maxItems:"200000" nullable:"false" doc:"The arms, as objects with the same fields: the rows of a table and its columns. A field id, or else the first field with distinct texts, identifies an arm; label, description and image are shown; others are features, numbers or categories."`
	Settings   *Settings         `json:"settings,omitempty" doc:"Omitted settings have their defaults."`
	Columns    *Columns          `json:"columns,omitempty" doc:"How to read fields that are recognised wrongly."`
	Dimensions int               `json:"dimensions,omitempty" minimum:"0" maximum:"1024" doc:"To how many dimensions embeddings are reduced. Default 16."`
}

// An Arm is an option as respondents see it.
type Arm struct {
	ID          string      `json:"id"`
	Label       string      `json:"label,omitempty"`
	Description string      `json:"description,omitempty"`
	Image       string      `json:"image,omitempty"`
	Attributes  []Attribute `json:"attributes,omitempty" nullable:"false"`
	Text        string      `json:"text,omitempty" doc:"The arm's text in the context of the question."`
	Withdrawn   bool        `json:"withdrawn,omitempty"`
}

// An Attribute is an arm's value in a column of the catalogue.
type Attribute struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Arms is a page of a study's arms.
type Arms struct {
	Arms []Arm  `json:"arms" nullable:"false"`
	Next string `json:"next,omitempty" doc:"The cursor of the next page; absent on the last page."`
}

// A Withdrawal names an arm to withdraw. The id is in the body, not in the path, because it may be
// any text.
type Withdrawal struct {
	Arm string `json:"arm" minLength:"1" maxLength:"10000" doc:"The id of the arm."`
}

// NewContexts are the texts of a study's arms in contexts.
type NewContexts struct {
	Texts  []ContextText `json:"texts" minItems:"1" maxItems:"100000" nullable:"false" doc:"One text for each arm in each context, in any order."`
	Format string        `json:"format,omitempty" enum:"plain,markdown" doc:"How the pages show contexts and texts. Defaults to plain."`
}

// A ContextText is the text of an arm in a context.
type ContextText struct {
	Arm     string `json:"arm" maxLength:"10000" doc:"The id of the arm."`
	Context string `json:"context" minLength:"1" maxLength:"65536" doc:"The context as respondents see it, such as a prompt."`
	Text    string `json:"text" maxLength:"65536" doc:"The text of the arm, such as a model's reply to the prompt."`
}

// Contexts describes the contexts of a study.
type Contexts struct {
	Contexts int    `json:"contexts" doc:"The number of contexts."`
	Texts    int    `json:"texts" doc:"The number of texts, one for each arm in each context."`
	Format   string `json:"format" enum:"plain,markdown"`
}

// NewPrior has the recorded choices of a prior.
type NewPrior struct {
	Answers []RecordedAnswer `json:"answers" minItems:"1" maxItems:"100000" nullable:"false"`
}

// A Prior describes the prior of a study.
type Prior struct {
	Choices int `json:"choices" doc:"The number of choices read. A ranking has one for each arm picked."`
}

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

// An Exclude names a respondent to exclude by hand.
type Exclude struct {
	Respondent string `json:"respondent" minLength:"1" maxLength:"1000" doc:"The name as in requests for questions."`
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
