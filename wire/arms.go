package wire

// An Arm is one of the options, as people see it.
type Arm struct {
	ID          string      `json:"id"`
	Label       string      `json:"label,omitempty"`
	Description string      `json:"description,omitempty"`
	Image       string      `json:"image,omitempty"`
	Attributes  []Attribute `json:"attributes,omitempty" nullable:"false"`
	Withdrawn   bool        `json:"withdrawn,omitempty"`
}

// An Attribute is a column of the catalogue.
type Attribute struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Arms are a page of the list.
type Arms struct {
	Arms []Arm  `json:"arms" nullable:"false"`
	Next string `json:"next,omitempty" doc:"The cursor of the next page; absent on the last one."`
}

// A Withdrawal names an arm that is withdrawn. Its id is not part of an address, as it may be any text.
type Withdrawal struct {
	Arm string `json:"arm" minLength:"1" maxLength:"10000" doc:"The id of the arm."`
}
