package checks

// maxRespondents is how many respondents a Monitor remembers, so that a look and a snapshot cost the
// same however many there are. Beyond it a new respondent replaces the one that came first, who is
// unknown from then on. A bet that knows less of a respondent is as fair as one that knows more: it
// predicts before the pick.
const maxRespondents = 4096

// meet returns the place of a respondent among the remembered ones.
func (m *Monitor) meet(name string) int {
	if at, known := m.index[name]; known {
		return at
	}
	at := m.state.Met % m.capacity
	m.state.Met++
	if at == len(m.state.Respondents) {
		m.state.Respondents = append(m.state.Respondents, name)
	} else {
		delete(m.index, m.state.Respondents[at])
		m.state.Respondents[at] = name
		m.state.Clicks.forget(at)
		m.state.People.forget(at)
	}
	m.index[name] = at
	return at
}

// forget forgets the respondent at a place.
func (c *clicks) forget(at int) {
	if at < len(c.Clicking) {
		clear(c.Clicking[at])
	}
}

// forget forgets the respondent at a place.
func (c *people) forget(at int) {
	if at < len(c.Residuals) {
		clear(c.Residuals[at])
		c.Known[at] = 0
	}
}
