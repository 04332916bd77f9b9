package config

import (
	"github.com/goccy/go-yaml/lexer"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestDeepFiles: nesting is refused beyond the limit, however it is written, before
// the YAML parser takes memory for it.
func TestDeepFiles(t *testing.T) {
	indented := func(n int, line string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.Repeat(" ", i) + line + "\n")
		}
		return b.String()
	}
	for name, text := range map[string]string{
		"brackets": "x: " + strings.Repeat("[", 120000), "brackets one a line": "x: " + strings.Repeat("[\n", 60000), "closed brackets": strings.Repeat("[", 65) + strings.Repeat("]", 65),
		"braces": "x: " + strings.Repeat("{", 20000), "keyed braces": "x: " + strings.Repeat("{a: ", 50000), "both": "x: " + strings.Repeat("[{a: ", 40000),
		"dashes": strings.Repeat("- ", 120000), "question marks": strings.Repeat("? ", 120000), "dashes and question marks": strings.Repeat("- ? ", 60000),
		"names": strings.Repeat("a: ", 80000), "colons": strings.Repeat(": ", 120000), "indented names": indented(700, "a:"), "indented dashes": indented(700, "-"),
		"anchors": "x: " + strings.Repeat("&a ", 80000), "tags": "x: " + strings.Repeat("!!str ", 40000), "anchors and brackets": "x: " + strings.Repeat("&a [ ", 40000),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		_, err := LoadText(Options{Config: "x.yaml"}, []byte(text))
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), "nested deeper than 64 levels") {
			t.Errorf("%s: %v", name, err)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 100<<20 || time.Since(start) > 20*time.Second {
			t.Errorf("%s: %d MB, %s", name, used>>20, time.Since(start))
		}
	}
}

// TestBracketsThatDoNotNest: in comments, quotes and globs brackets are text.
func TestBracketsThatDoNotNest(t *testing.T) {
	many := strings.Repeat("[", 200)
	for _, text := range []string{
		"# " + many + "\nextends: aliyun", "extends: aliyun # " + many + strings.Repeat("{", 200),
		strings.Repeat("# see [1\n# - - - -\n", 200) + "extends: aliyun",
		"overrides:\n" + strings.Repeat("- {key: 'user:[0-9]*', owner: x}\n", 200),
		"overrides:\n" + strings.Repeat("- {key: \"user:[\", owner: x}\n", 0) + strings.Repeat("- key: \"user:[[a]{\"\n  owner: x\n", 200),
		"overrides:\n" + strings.Repeat("- key: user:[0-9]*\n  owner: x\n", 200),
		"ignore:\n- {rule: no-ttl, reason: \"" + many + "\"}\n- rule: no-ttl\n  reason: |\n    " + many + "\n",
		"namespaces: " + strings.Repeat("\n- a", 500), "namespaces: [" + strings.Repeat("[a], ", 0) + strings.Repeat("a, ", 500) + "]",
		"# " + strings.Repeat("- ", 100) + "\n# " + strings.Repeat("? ", 100) + "\n",
	} {
		if _, err := LoadText(Options{Config: "x.yaml"}, []byte(text)); err != nil {
			t.Errorf("%.60q: %v", text, err)
		}
	}
}

// TestDepth checks what counts as a level: at 64 a configuration is read, at 65 not.
func TestDepth(t *testing.T) {
	flow := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	nested := func(n int, entry string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.Repeat(" ", i) + entry + "\n")
		}
		return b.String()
	}
	for name, c := range map[string]struct {
		text string
		deep bool
	}{
		"brackets": {flow(64), false}, "a bracket more": {flow(65), true},
		"braces": {strings.Repeat("{a: ", 64) + strings.Repeat("}", 64), false}, "a brace more": {strings.Repeat("{a: ", 65), true},
		"closed and opened again": {"[" + strings.Repeat(flow(63)+", ", 9) + "a]", false}, "one of them deeper": {"[" + flow(63) + ", " + flow(64) + "]", true},
		"names": {nested(64, "a:"), false}, "a name more": {nested(65, "a:"), true},
		"dashes": {nested(64, "-"), false}, "a dash more": {nested(65, "-"), true},
		"names of a line":    {nested(63, "a:") + strings.Repeat(" ", 63) + "b: c", false},
		"brackets in names":  {nested(60, "a:") + strings.Repeat(" ", 60) + "b: " + flow(3), false},
		"one more in names":  {nested(60, "a:") + strings.Repeat(" ", 60) + "b: " + flow(4), true},
		"colons in brackets": {"a: [" + strings.Repeat("b: c, ", 100) + "]", false},
		"back to the left":   {strings.Repeat(nested(40, "a:"), 3), false},
		"anchors":            {strings.Repeat("&a ", 64) + "b", false}, "an anchor more": {strings.Repeat("&a ", 65) + "b", true},
		"tags": {strings.Repeat("!!str ", 64) + "b", false}, "a tag more": {strings.Repeat("!!str ", 65) + "b", true},
		"anchors apart": {strings.Repeat("- &a b\n", 100), false}, "anchors and brackets": {strings.Repeat("&a [", 64), false}, "a bracket more than that": {strings.Repeat("&a [", 65), true},
		"brackets too many closed": {"a: ]]]" + flow(64), true}, "not deeper by that": {"- ]]]" + flow(63), false},
	} {
		at, problem := tooLarge(lexer.Tokenize(c.text))
		if (at != nil) != c.deep || (problem.String() == "nested deeper than 64 levels") != c.deep {
			t.Errorf("%s: %v, %q", name, at, problem)
		}
	}
	// Names of a block mapping: 2,000, also apart from each other, and again in the next.
	names := func(n int, indent string) string { return strings.Repeat(indent+"a: b\n", n) }
	for name, c := range map[string]struct {
		text string
		line int
	}{
		"2,000": {names(2000, ""), 0}, "2,001": {names(2001, ""), 2001}, "inside": {"x:\n" + names(2001, " "), 2002},
		"in two":       {"x:\n" + names(2000, " ") + "y:\n" + names(2000, " "), 0},
		"with lists":   {strings.Repeat("a:\n- b\n- c\n", 2000), 0},
		"list entries": {"a:\n" + strings.Repeat("- b\n", 3000), 0},
		"around":       {names(1000, "") + "x:\n" + names(2000, " ") + names(1000, ""), 4002 - 1},
		"in brackets":  {"{" + strings.Repeat("a: b, ", 3000) + "}", 0},
	} {
		at, problem := tooLarge(lexer.Tokenize(c.text))
		line := 0
		if at != nil {
			line = at.Position.Line
		}
		if line != c.line || (problem.String() == "more than 2,000 names in a mapping") != (c.line > 0) {
			t.Errorf("%s: line %d, want %d, %q", name, line, c.line, problem)
		}
	}
}
