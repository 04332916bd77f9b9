package language

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestTranslate(t *testing.T) {
	c := newCatalogue(map[string]string{
		"complete":                              "完整",
		"{n} keys":                              "{n} 个 key",
		"1 key":                                 "1 个 key",
		"{measured} elements, over {limit}":     "{measured} 个元素,超过 {limit}",
		"Split {key}: {keys} are over {limit}.": "拆分 {key}:{keys}超过 {limit}。",
		"Split {group}.":                        "拆分分组 {group}。",
		"{from} to {to}":                        "从 {from} 到 {to}",
	})
	for _, test := range []struct{ in, want string }{
		{"complete", "完整"},
		{"2,000 keys", "2,000 个 key"},
		{"5,200 elements, over 5,000", "5,200 个元素,超过 5,000"},
		{"Split a:b: 3 keys are over 7.", "拆分 a:b:3 个 key 超过 7。"},          // a part is translated in turn
		{"Split complete: 1 key are over 7.", "拆分 complete:1 个 key 超过 7。"}, // a name is not
		{"Split x: y: 2 keys are over 1.", "拆分 x: y:2 个 key 超过 1。"},        // the first ": " does not make the rest fit
		{"Split 1 key.", "拆分分组 1 key。"},
		{"1 to 2 to 3", "从 1 到从 2 到 3"},
	} {
		if got, ok := c.find(test.in); !ok || got != test.want {
			t.Errorf("%q: %q, %v, want %q", test.in, got, ok, test.want)
		}
	}
	for _, s := range []string{"Split : 3 key", "unknown", " keys", "elements, over"} {
		if got, ok := c.find(s); ok || got != s {
			t.Errorf("%q is translated to %q", s, got)
		}
	}
}

// TestFirstPart checks that a sentence about the rest of a line does not take what is
// before it for a part of its own.
func TestFirstPart(t *testing.T) {
	for from, want := range map[string]string{
		"problems: 3 rules broken in 2 groups: 1 error, 2 warnings, 0 info": "问题：2 个分组违反 3 条规则：1 条错误，2 条警告，0 条提示",
		"error big-string: a: 119,474 bytes long, over 10 KB":               "error big-string：a：长 119,474 字节，超过 10 KB",
		"the invisible character U+202E at byte 0":                          "看不见的字符 U+202E，在第 0 字节",
	} {
		if got, ok := Chinese.Translate(from); got != want || !ok {
			t.Errorf("%q: %q, want %q", from, got, want)
		}
	}
}

// TestCatalogue checks that each entry of zh.json is on a line of its own, in order
// and there once, and that translations have the names of their English.
func TestCatalogue(t *testing.T) {
	last := ""
	lines := strings.Split(strings.TrimSpace(string(zh)), "\n")
	for _, line := range lines[1 : len(lines)-1] {
		var entry map[string]string
		if err := json.Unmarshal([]byte("{"+strings.TrimSuffix(line, ",")+"}"), &entry); err != nil || len(entry) != 1 {
			t.Fatalf("%s: %v", line, err)
		}
		for from, to := range entry {
			if from <= last {
				t.Errorf("%q is after %q", from, last)
			}
			last = from
			_, names := split(from)
			_, used := split(to)
			for _, name := range used {
				if !slices.Contains(names, name) {
					t.Errorf("%q: {%s} is not in the English %q", to, name, from)
				}
			}
			if strings.TrimSpace(to) == "" {
				t.Errorf("%q has no translation", from)
			}
		}
	}
}

func TestFromLocale(t *testing.T) {
	for _, test := range []struct {
		all, messages, lang string
		want                Language
	}{
		{"", "", "", English}, {"", "", "zh_CN.UTF-8", Chinese}, {"C", "", "zh_CN.UTF-8", English}, {"", "zh_TW", "en_US", Chinese},
		{"zh_CN", "en_US", "en_US", Chinese}, {"", "en_US.UTF-8", "zh_CN.UTF-8", English},
	} {
		env := map[string]string{"LC_ALL": test.all, "LC_MESSAGES": test.messages, "LANG": test.lang}
		if got := FromLocale(func(name string) string { return env[name] }); got != test.want {
			t.Errorf("%v: %s, want %s", env, got, test.want)
		}
	}
}

// TestMatchIsBounded checks that a long hostile sentence is not tried for long.
func TestMatchIsBounded(t *testing.T) {
	c := newCatalogue(map[string]string{"{a} x {b} x {c} x {d} x {e} x {f} z {g} y": "{a}"})
	start := time.Now()
	if s, ok := c.find(strings.Repeat("o x ", 5000) + " y"); ok {
		t.Errorf("translated to %.100q", s)
	}
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("took %v", d)
	}
}
