package checks

// mostPeople is how many respondents are remembered at a time, so that a look and a snapshot cost the same however
// many come. When there are more, a new one takes the place of whoever came first, who is a stranger from then on.
// A bet that knows less of somebody is as fair as one that knows more: what it predicts is settled before the pick.
const mostPeople = 4096

// meet returns the place of a respondent among those remembered.
func (m *Monitor) meet(name string) int {
	if at, known := m.index[name]; known {
		return at
	}
	at := m.state.Met % m.most
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

// forget makes whoever is at a place a stranger.
func (c *clicks) forget(at int) {
	if at < len(c.Clicking) {
		clear(c.Clicking[at])
	}
}

// forget makes whoever is at a place a stranger.
func (c *people) forget(at int) {
	if at < len(c.Residuals) {
		clear(c.Residuals[at])
		c.Known[at] = 0
	}
}
