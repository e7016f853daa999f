package live

// A generations is a bounded map: when the younger of two generations is full, it replaces the older one.
// The zero value is empty.
type generations[K comparable, V any] struct{ young, old map[K]V }

func (g *generations[K, V]) get(key K) (V, bool) {
	if value, ok := g.young[key]; ok {
		return value, true
	}
	value, ok := g.old[key]
	return value, ok
}

// put keeps a value at least until limit other values were put.
func (g *generations[K, V]) put(key K, value V, limit int) {
	if g.young == nil || len(g.young) >= limit {
		g.young, g.old = map[K]V{}, g.young
	}
	g.young[key] = value
}
