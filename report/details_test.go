package report

import (
	"strings"
	"testing"
)

// TestExpiredKeys checks that the details name keys that had expired only if there
// were any.
func TestExpiredKeys(t *testing.T) {
	for expired, want := range map[Figure]string{0: "", Unknown: "", 1: "1 key when the snapshot was taken", 17: "17 keys when the snapshot was taken"} {
		r := ordinaryReport()
		r.Totals.Expired = expired
		_, line, _ := strings.Cut(string(render(t, "details", r, 0)), "\n  expired ")
		line, _, _ = strings.Cut(line, "\n")
		if got := strings.TrimSpace(line); got != want {
			t.Errorf("%d expired keys: %q", expired, got)
		}
	}
}
