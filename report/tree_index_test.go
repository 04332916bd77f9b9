package report

import "testing"

// TestGroupsOfNodes checks which groups of names are below a prefix.
func TestGroupsOfNodes(t *testing.T) {
	tree := NewNameTree(&TreeNode{}, ":")
	for _, c := range []struct {
		prefix, group Name
		want          bool
	}{{"", "a:*", true}, {"a:", "a:*", true}, {"a:", "a:b:c", true}, {"a:", "ab:*", false}, {"a:1:", "a:*:c", true}, {"a:*:", "a:b:c", true}, {"a:b", "a:b", true},
		{"a:b", "a:b:c", false}, {"a:b:", "a:b", false}, {"a:*", "a:*", true}, {"{x:y}:", "{x:y}:*", true}, {"{x:z}:", "{x:y}:*", false}, {"a:…", "a:*", false}} {
		if got := tree.HoldsGroup(&TreeNode{Prefix: c.prefix}, c.group); got != c.want {
			t.Errorf("%s holds %s: %v", c.prefix, c.group, got)
		}
	}
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
