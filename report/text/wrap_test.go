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
