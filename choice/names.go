package choice

// NewNames makes a catalogue of arms without features, each with a utility of its own. The arms have
// indicators instead of features, one for each arm but the first. An answer then says nothing about
// arms that it does not show, so that a study takes more answers than with useful features. NewNames
// returns an error where [NewCatalogue] does.
func NewNames(ids []string) (*Catalogue, error) {
	features, rows := make([]string, 0, len(ids)), make([][]float64, len(ids))
	for i := range ids {
		rows[i] = make([]float64, max(0, len(ids)-1))
		if i > 0 {
			features = append(features, ids[i])
			rows[i][i-1] = 1
		}
	}
	return NewCatalogue(ids, features, rows)
}
