package language

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser/message"
)

// TestCatalogue checks that each entry of zh.json is on a line of its own, in order
// and there once, and that translations have the names of their English.
func TestCatalogue(t *testing.T) {
	names := regexp.MustCompile(`\{[a-z][a-z0-9_]*\}`)
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
			for _, name := range names.FindAllString(to, -1) {
				if !slices.Contains(names.FindAllString(from, -1), name) {
					t.Errorf("%q: %s is not in the English %q", to, name, from)
				}
			}
			if strings.TrimSpace(to) == "" {
				t.Errorf("%q has no translation", from)
			}
		}
	}
}

// TestChinese checks figures, the space beside Latin letters, and that names are not
// translated.
func TestChinese(t *testing.T) {
	c := Chinese.Catalogue()
	for want, m := range map[string]message.Message{
		"3 个 key":                 message.Plural(3, "1 key", "{n} keys"),
		"3 天 4 小时":                message.New("{d}", message.Duration("d", 3*86400+4*3600)),
		"20,480 字节":               message.New("{n}", message.ExactSize("n", 20480)),
		"3.8 MB":                  message.New("{n}", message.Size("n", 4_000_000)),
		"10 倍":                    message.New("{n}", message.Figure("n", 1000, message.FormRatio)),
		"12.5%":                   message.New("{n}", message.Share("n", 0.125)),
		"none":                    message.New("{key}", message.Name("key", "none")),
		"无":                       message.New("none"),
		"no such key":             message.New("no such key"), // it has no translation
		"2026-01-02 03:04:05 UTC": message.New("{t}", message.Time("t", 1767323045)),
	} {
		got := ""
		for _, s := range m.Spans(c) {
			got += s.Text
		}
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if English.Catalogue() != nil || Language("").Catalogue() != nil {
		t.Error("English has a catalogue")
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
