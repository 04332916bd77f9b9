package report

import (
	"strings"
	"testing"
)

// TestLargeDifference checks that causes of a large difference below the prediction are named
// from more than a tenth of it on; what is above it is named at once.
func TestLargeDifference(t *testing.T) {
	for d, large := range map[int64]bool{0: false, 100: false, 101: false, -100: false, -101: true} {
		m := &Memory{Predicted: 1000, State: "live"}
		m.explainDifference(d, false)
		text := strings.Join(m.Explanation, "\n")
		if strings.Contains(text, "over 10 %") != large {
			t.Errorf("%d bytes of 1000: %q", d, text)
		}
	}
}
