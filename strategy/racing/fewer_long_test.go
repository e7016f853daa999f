//go:build long

package racing

// Fewer divides the repeats of tests that compute expectations or go through many seeds.
const Fewer = 1
