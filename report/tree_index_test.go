package report

import "testing"

// TestMatchStars checks what patterns stand for.
func TestMatchStars(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{{"*", "", true}, {"*", "x", true}, {"a*", "b", false}, {"*a", "xa", true}, {"*a", "ax", false}, {"a*b*c", "a-b-c", true}, {"a*b*c", "a-c-b", false}, {"ab", "ab", true}, {"ab", "abc", false}, {"a*a", "a", false},
		{"*:", "x:", true}, {"*:", "x", false}, {"a*c", "ac", true}, {"a*c", "abcd", false}, {"ab*b", "ab", false}} {
		if matchStars(c.pattern, c.text) != c.want {
			t.Errorf("%s %s: %v", c.pattern, c.text, !c.want)
		}
	}
}
