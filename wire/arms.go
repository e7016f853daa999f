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
