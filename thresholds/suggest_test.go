package thresholds

import "testing"

// TestSuggest checks that a word is suggested if it differs in fewer letters than a
// third of the misspelled word and two more.
func TestSuggest(t *testing.T) {
	many := make([]string, 13)
	for i := range many {
		many[i] = string(rune('a'+i)) + "-------------"
	}
	for _, c := range []struct {
		word  string
		known []string
		want  string
	}{
		{"abc", []string{"xyc"}, `did you mean xyc?`}, {"abc", []string{"xyz"}, "known: xyz"},
		{"abcdef", []string{"xyzdef"}, `did you mean xyzdef?`}, {"abcdef", []string{"wxyzef"}, "known: wxyzef"},
		{"No-TTL", []string{"no-tt", "no-ttl"}, `did you mean no-ttl?`}, {"abc", many[:12], "known: a-------------, b-------------, c-------------, d-------------, " +
			"e-------------, f-------------, g-------------, h-------------, i-------------, j-------------, k-------------, l-------------"}, {"abc", many, ""},
	} {
		if got := Suggest(c.word, c.known).String(); got != c.want {
			t.Errorf("%q among %q: %q, want %q", c.word, c.known, got, c.want)
		}
	}
}
