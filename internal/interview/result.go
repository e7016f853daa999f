package interview

// A Result is the state of an interview, for programs.
type Result struct {
	Status   string `json:"status"`           // asking, certified or decided
	Leader   string `json:"leader,omitempty"` // id of the best option so far; empty without answers
	Label    string `json:"label,omitempty"`  // of the leader
	Answers  int    `json:"answers"`
	Others   int    `json:"others"` // options that may still be better
	Sentence string `json:"sentence"`
}

// Result returns the state of the interview.
func (s *Session) Result() Result {
	v := s.racing.Verdict()
	r := Result{Status: v.Status.String(), Answers: v.Answered, Others: len(v.Contenders) - 1 + v.Others, Sentence: s.Says()}
	if v.Answered > 0 {
		leader := s.card(v.Leader)
		r.Leader, r.Label = leader.ID, leader.Label
	}
	return r
}
