//go:build !long

package racing

// Fewer divides the repeats of tests that compute expectations or go through many seeds. With the tag
// long they have all of them.
const Fewer = 4
