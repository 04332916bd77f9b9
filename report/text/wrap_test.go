package text

import (
	"strings"
	"testing"
)

func TestWidth(t *testing.T) {
	for s, want := range map[string]int{"": 0, "abc": 3, "订单组": 6, "—": 1, "≤": 1, "3–10": 4, "e\u0301": 1, "…": 1, "한글": 4, "Ω": 1} {
		if got := Width(s); got != want {
			t.Errorf("%q is %d columns wide, want %d", s, got, want)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		first, next, text string
		columns           int
		want              []string
	}{
		{"", "", "", 10, []string{""}},
		{"- ", "  ", "one two three", 9, []string{"- one two", "  three"}},
		{"", "", "aLongWordStays whole", 5, []string{"aLongWordStays", "whole"}},
		{"", "", "— ≤ —— ab", 9, []string{"— ≤ —— ab"}}, // three bytes, one column each
		{"", "", "keep\u00a0this together", 9, []string{"keep\u00a0this", "together"}},
		// A line is full of Chinese, too, and breaks between characters.
		{"", "", "拒绝大键防止网卡流量", 12, []string{"拒绝大键防止", "网卡流量"}},
		{"  ", "  ", "keys: 拒绝大键防止网卡", 14, []string{"  keys: 拒绝大", "  键防止网卡"}},
		{"", "", "单个值超过10KB就是大键", 12, []string{"单个值超过", "10KB就是大键"}},
		// No line begins with a comma or ends with a bracket.
		{"", "", "拒绝大键，防止", 8, []string{"拒绝大", "键，防止"}},
		{"", "", "拒绝大键(防止)", 9, []string{"拒绝大键", "(防止)"}},
		{"", "", "e\u0301e\u0301e\u0301 x", 5, []string{"e\u0301e\u0301e\u0301 x"}},
		// No line breaks before a combining character, and one may break behind it.
		{"", "", "键\u0301", 1, []string{"键\u0301"}},
		{"", "", "键\u0301a", 2, []string{"键\u0301", "a"}},
		{"", "", "a键", 2, []string{"a", "键"}},
		{"", "", "键a", 2, []string{"键", "a"}},
		{"", "", "键a", 3, []string{"键a"}},
		{"> ", "", "a b", 4, []string{"> a", "b"}},
		{"> ", "", "a b", 5, []string{"> a b"}},
		{"", "", "a  b", 4, []string{"a  b"}},
		{"", "", "a ", 1, []string{"a", ""}},
	} {
		if got := Wrap(c.first, c.next, c.text, c.columns); got != strings.Join(c.want, "\n")+"\n" {
			t.Errorf("%q in %d columns:\n%swant\n%s", c.text, c.columns, got, strings.Join(c.want, "\n"))
		}
	}
}

func TestShorten(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"short", 5, "short"}, {"user:basic.info:10086", 12, "user:...0086"}, {"用户基本信息表主键", 10, "用户...键"},
		{`\x00\x01\x02\x03\x04`, 12, `\x00...\x04`}, {`ab\\\\cdefgh`, 9, `ab...efgh`}, {"abcdef", 3, "..."}, {"abcdef", 1, "."}, {"abcdef", 0, ""},
	} {
		got := ShortenMiddle(c.text, c.width)
		if got != c.want || Width(got) > c.width {
			t.Errorf("%q in %d columns: %q, want %q", c.text, c.width, got, c.want)
		}
	}
	if got := ShortenEnd("more elements, than", 17); got != "more elements..." {
		t.Errorf("sentence is cut to %q", got)
	}
}

// TestShortenEveryWidth checks the bounds of cut texts: never wider, never apart within an
// escape or a character, and no shorter than need be.
func TestShortenEveryWidth(t *testing.T) {
	for _, s := range []string{"abcdefghij", "订单组订单组", "a订b单c组", `\x00\x01\x02ab\x03`, `a\\b\nc\td`, "e\u0301e\u0301e\u0301e\u0301", "a, b; c: d e"} {
		full := Width(s)
		for width := range full + 3 {
			for what, got := range map[string]string{"middle": ShortenMiddle(s, width), "end": ShortenEnd(s, width)} {
				if width >= full {
					if got != s {
						t.Errorf("%q in %d columns: %q", s, width, got)
					}
					continue
				}
				if Width(got) > width && (what == "middle" || width >= 3) {
					t.Errorf("%s of %q in %d columns: %q is %d wide", what, s, width, got, Width(got))
				}
				head, tail, cut := strings.Cut(got, "...")
				if !cut {
					if width >= 3 {
						t.Errorf("%s of %q in %d columns: %q", what, s, width, got)
					}
					continue
				}
				if !strings.HasPrefix(s, head) || !strings.HasSuffix(s, tail) || what == "end" && tail != "" {
					t.Errorf("%s of %q in %d columns: %q", what, s, width, got)
				}
				// Another unit, of at most four columns, would not fit: but for an escape.
				if what == "middle" && width >= 9 && width-Width(got) > 4 {
					t.Errorf("%q in %d columns: %q is %d wide only", s, width, got, Width(got))
				}
				if n := len(head); n > 0 && head[n-1] == '\\' && strings.Count(head, `\`)%2 == 1 && !strings.HasSuffix(head, `\\`) {
					t.Errorf("%q in %d columns: %q ends in an escape", s, width, got)
				}
			}
		}
	}
	for text, want := range map[string]string{"abcdefgh": "ab...gh", "abcdefghi": "ab...hi"} {
		if got := ShortenMiddle(text, 7); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{"abcde, fgh": "abcde...", "abcdefghij": "abcdef...", "a b  c d e": "a b  c..."} {
		if got := ShortenEnd(text, 9); got != want && len(text) > 9 {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestMarkdownText checks that Markdown shows text of ours as it is: what GitHub and GitLab
// read as a mark, a link, a mention or a reference is escaped, and nothing else.
func TestMarkdownText(t *testing.T) {
	for _, s := range []string{"", "word", "two words", "it's", "3.8 MB", "10,000 keys", "50%", "(in brackets)", "a/b", "a-b", "a_b", "a.b", "x=1", "12:34:56", "2026-03-01",
		"+28", "-3", "+30.0%", "why?", "so; and: then,", "1.5x", "abcdef", "1234567", "a - b", "a 1. b", "a:b", "\"quoted\"", "(a", "a(b", "键：值"} {
		if got := MarkdownText(s); got != s {
			t.Errorf("%q is %q", s, got)
		}
	}
	for s, want := range map[string]string{"a *b* c": `a \*b\* c`, "see @team": "see `@`team", "see #17": "see `#`17", "http://x.y": `http:\//x.y`, "www.x.y": `www\.x.y`, "gh-17": "gh`-`17", "GH-17 x": "GH`-`17 x",
		"[a](b)": `\[a\](b)`, "<b>": "&lt;b&gt;", "a|b": `a\|b`, "_a_": `\_a\_`, "a_": `a\_`, "- a": `\- a`, "1. a": `1\. a`, "*a* *b*": `\*a\* \*b\*`, `a\b`: `a\\b`, "~a": "`~`a", "&amp;": "`&`amp;", "+ a": `\+ a`, "= a": `\= a`,
		"user@host": "user`@`host", "!17": "`!`17", "$x": "`$`x", "键：a*b*c": `键：a\*b\*c`, "a`b": "a\\`b", "5 > 3": "5 &gt; 3", "# a": `\# a`} {
		if got := MarkdownText(s); got != want {
			t.Errorf("%q is %q, want %q", s, got, want)
		}
	}
	for s, want := range map[string]string{"": "", "a": "`a`", "a`b": "`a\\x60b`", "a|b<c": "`a\\x7cb\\x3cc`"} {
		if got := MarkdownCode(s); got != want {
			t.Errorf("%q is %q, want %q", s, got, want)
		}
	}
}
