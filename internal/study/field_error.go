package study

// A FieldError says what is wrong with what somebody sent, and where.
type FieldError struct {
	Field   string // a path such as settings.strategy.k
	Problem string
}

func (e *FieldError) Error() string { return e.Field + ": " + e.Problem }
