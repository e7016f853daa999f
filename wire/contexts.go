package wire

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
