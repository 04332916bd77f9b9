package message

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
)

// chinese is a catalogue with a few entries.
var chinese = &Catalogue{
	Lookup: func(id string) (string, bool) {
		to, ok := map[string]string{
			"{key}: {n} elements, over {limit}": "{key}：共 {n} 个元素，超过 {limit}",
			"{keys} without {what}":             "{keys}没有{what}",
			"1 key":                             "1 个 key",
			"{n} keys":                          "{n} 个 key",
			"no TTL":                            "过期时间",
			"; ":                                "；",
		}[id]
		return to, ok
	},
	Figure: func(s string) string { return strings.ReplaceAll(s, "d", " 天") },
	Wide:   true,
}

func text(m Message, c *Catalogue) string {
	var b strings.Builder
	for _, s := range m.Spans(c) {
		b.WriteString(s.Text)
	}
	return b.String()
}

// Names that are sentences of the catalogue, or have its {names}, are shown as they are.
func TestNamesAreNotTemplates(t *testing.T) {
	for _, name := range []string{"1 key", "{n} keys", "{limit}", "no TTL", "{key}: {n} elements, over {limit}", "a}b{", "", "\xff\x00"} {
		m := New("{key}: {n} elements, over {limit}", Name("key", name), Int("n", 5200), Int("limit", 5000))
		if got, want := text(m, nil), name+": 5,200 elements, over 5,000"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if got, want := text(m, chinese), name+"：共 5,200 个元素，超过 5,000"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if spans := m.Spans(chinese); spans[0] != (Span{Kind: KindName, Text: name}) {
			t.Errorf("the first span is %+v", spans[0])
		}
	}
}

func TestRendering(t *testing.T) {
	for _, c := range []struct {
		m      Message
		en, zh string
	}{
		{New("{keys} without {what}", Number("keys", 1, "1 key", "{n} keys"), Word("what", "no TTL")), "1 key without no TTL", "1 个 key 没有过期时间"},
		{New("{keys} without {what}", Number("keys", 0, "1 key", "{n} keys"), Word("what", "x")), "0 keys without x", "0 个 key 没有 x"},
		{New("{list}", List("list", "; ", []Message{New("no TTL"), New("1 key")})), "no TTL; 1 key", "过期时间；1 个 key"},
		{New("{list}", List("list", "; ", nil)), "", ""},
		{New("{d} and {missing}", Duration("d", 86400)), "1d and {missing}", "1 天 and {missing}"},
		{New("{what} {what}", Phrase("what", New("（{x}）。", Text("x", "a b")))), "（a b）。 （a b）。", "（a b）。（a b）。"},
		{New("{a}{b}", Code("a", "no TTL"), Text("b", "no TTL")), "no TTLno TTL", "no TTLno TTL"},
	} {
		if got := text(c.m, nil); got != c.en {
			t.Errorf("%q, want %q", got, c.en)
		}
		if got := text(c.m, chinese); got != c.zh {
			t.Errorf("%q, want %q", got, c.zh)
		}
	}
}

func TestFigures(t *testing.T) {
	for want, a := range map[string]Arg{"12.5%": Share("n", 0.125), "10,239 bytes": Figure("n", 10<<10-1, FormSize), "10 KB": Figure("n", 10<<10, FormSize),
		"2x": Figure("n", 200, FormRatio), "5%": Figure("n", 500, FormPercent), "1d 1s": Figure("n", 86401, FormExactDuration)} {
		if a.Text != want {
			t.Errorf("%q, want %q", a.Text, want)
		}
	}
}

func TestString(t *testing.T) {
	m := New("{key} in {file}: {text}", Name("key", "a b"), Path("file", "/d/x.rdb"), Element("text", "\x1b[0m"))
	if got := m.String(); got != `"a b" in /d/x.rdb: "\x1b[0m"` {
		t.Error(got)
	}
}

func TestMessageJSON(t *testing.T) {
	m := New("{a} {b} {c} {d} {e}", Name("a", "\xff\\x\n\u0085"), Size("b", 4096), List("c", ", ", []Message{New("x"), New("{n}", Int("n", 1))}),
		Phrase("d", New("GET {k}", Name("k", "k"))), Share("e", 0.125))
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var back Message
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(m, back) {
		t.Errorf("%s: %+v, want %+v", b, back, m)
	}
}

// A saved report can nest messages without end: sixteen of them are shown.
func TestDepth(t *testing.T) {
	m := New("x")
	for range maxDepth - 1 {
		m = New("{m}", Phrase("m", m))
	}
	if got := m.String(); got != "x" {
		t.Errorf("the innermost of %d is %q", maxDepth, got)
	}
	for range 100_000 {
		m = New("{m}", Phrase("m", m))
	}
	if got := m.String(); got != "" {
		t.Errorf("%q", got)
	}
}

func TestMap(t *testing.T) {
	m := New("{a} {b}", Name("a", "n"), Phrase("b", New("{c}", Path("c", "n"))))
	hidden := m.Map(func(a Arg) Arg {
		if a.Kind == KindName || a.Kind == KindPath {
			a.Text = "h"
		}
		return a
	})
	if m.String() != "n n" || hidden.String() != "h h" {
		t.Errorf("%q, %q", m, hidden)
	}
}

func TestErrors(t *testing.T) {
	err := Errorf("{file} is empty", Path("file", "f")).WithHint("copy it again")
	wrapped := fmt.Errorf("outer: %w", err)
	if got := Of(wrapped).String(); got != "f is empty" {
		t.Error(got)
	}
	if got := Of(io.EOF); got.String() != "EOF" || got.Args[0].Kind != KindForeign {
		t.Error(got)
	}
	var e *Error
	if !errors.As(wrapped, &e) || e.Hint.String() != "copy it again" || !Of(nil).IsZero() {
		t.Error(e)
	}
}
