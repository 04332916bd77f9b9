package config

import (
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
