package planning

import "testing"

// TestDeckFollowsDemand: a deck that is half empty is filled to twice the claims between two
// checks, or half as deep as at the last one, within the limits of its depth.
func TestDeckFollowsDemand(t *testing.T) {
	var d deck
	for i, look := range []struct{ planned, unclaimed, answers, want int }{
		{0, 0, 0, 16},           // at first
		{16, 16, 0, 0},          // no claims
		{16, 9, 0, 0},           // more than half is left
		{16, 8, 0, 8},           // half
		{24, 16, 0, 0},          //
		{24, 0, 0, 32},          // 16 at once
		{56, 16, 0, 16},         // 16 more, half of which would be left
		{72, 32, 0, 0},          // none
		{72, 8, 0, 40},          // 24
		{112, 48, 0, 0},         // none
		{112, 0, 0, 96},         // 48
		{208, 0, 0, 192},        // 96
		{400, 192, 0, 0},        // none: demand falls
		{400, 8, 0, 360},        // 184
		{760, 368, 0, 0},        // none
		{760, 8, 640, 712},      // 360
		{9000, 0, 640, 4096},    // at most 4096
		{9000, 0, 640, 2048},    // none: half as deep as before
		{9000, 513, 640, 0},     // half of that again, and more than half is left
		{9000, 257, 640, 0},     //
		{9000, 129, 640, 0},     //
		{9000, 65, 640, 0},      //
		{9000, 33, 640, 0},      //
		{9000, 17, 640, 0},      //
		{9000, 10, 640, 10},     // one for 32 counted answers, and half of that is left
		{9000, 11, 640, 0},      // more than half
		{9000, 0, 1e9, 4096},    // very many answers
		{9000, 2049, 1e9, 0},    // more than half of the maximum
		{9000, 2048, 1e9, 2048}, // half
	} {
		next, got := d.wanted(look.planned, look.unclaimed, look.answers, 0)
		if d = next; got != look.want {
			t.Errorf("check %d, %+v: got %d", i, look, got)
		}
	}
}
