package checks

// maxRespondents is the number of respondents that a Monitor remembers. It bounds the cost of a
// look and of a snapshot. Beyond it a new respondent replaces the oldest, who is then unknown. A
// bet that knows less about a respondent is still fair, because it predicts before the pick.
const maxRespondents = 4096

// meet returns the place of a respondent among the remembered ones. It adds a new respondent.
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

// forget clears the place of a respondent.
func (c *clicks) forget(at int) {
	if at < len(c.Clicking) {
		clear(c.Clicking[at])
	}
}

// forget clears the place of a respondent.
func (c *people) forget(at int) {
	if at < len(c.Residuals) {
		clear(c.Residuals[at])
		c.Known[at] = 0
	}
}
