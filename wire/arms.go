package wire

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
