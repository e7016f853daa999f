package wire

// The states of a study, in [Study].State and [Verdict].State.
const (
	StateDraft  = "draft"
	StateOpen   = "open"
	StatePaused = "paused"
	StateDone   = "done"
)

// Why a study is done, in [Study].Reason and [Verdict].Reason.
const (
	ReasonCertified = "certified" // the best arm is certified
	ReasonRefuted   = "refuted"   // the answers do not fit the model
	ReasonCyclic    = "cyclic"    // it is certified that there is no favourite
	ReasonStopped   = "stopped"   // the owner stopped it
	ReasonSpent     = "spent"     // the budget is spent
	ReasonExpired   = "expired"   // the deadline has passed
	ReasonLapsed    = "lapsed"    // the earlier reason no longer holds after an erasure
)

// The values of [Verdict].Status.
const (
	StatusAsking    = "asking"
	StatusDecided   = "decided"
	StatusCertified = "certified"
	StatusCyclic    = "cyclic"
)

// What a certificate rests on, in [Settings].Assume and [Verdict].Assumption.
const (
	AssumeMajority = "majority"
	AssumeLinear   = "linear"
)

// The values of [Outcome].Kind.
const (
	KindAnswered = "answered"
	KindSkipped  = "skipped"
	KindUndone   = "undone"
)

// The kinds of respondents, in [Note].Judge and [Judge].Kind.
const (
	JudgePerson = "person"
	JudgeModel  = "model"
)

// The roles of tokens, in [AccessToken].Role and [NewToken].Role.
const (
	RoleOwner  = "owner"
	RoleViewer = "viewer"
)

// The values of [Webhook].State.
const (
	DeliveryWaiting   = "waiting"
	DeliveryDelivered = "delivered"
	DeliveryGivenUp   = "given-up"
)
