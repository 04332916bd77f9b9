package report

import (
	"testing"

	"github.com/rdblens/rdblens/parser/message"
)

// english returns a message as a terminal shows it.
func english(m message.Message) string { return textStyle(nil).line(m) }

// englishLines is english for several messages.
func englishLines(list []message.Message) (lines []string) {
	for _, m := range list {
		lines = append(lines, english(m))
	}
	return lines
}

// TestSentencesOf checks that the sentences of a report without messages, or with some only,
// are those that its texts say.
func TestSentencesOf(t *testing.T) {
	m := []message.Message{word("none")}
	for _, c := range []struct {
		messages []message.Message
		texts    []string
		foreign  bool
	}{{m, []string{"none"}, false}, {nil, []string{"none"}, true}, {m, []string{"none", "more"}, true}, {nil, nil, false}} {
		got := sentencesOf(c.messages, c.texts)
		if len(got) != len(c.texts) || len(got) > 0 && (got[0].ID != "none") != c.foreign {
			t.Errorf("%+v: %v", c, got)
		}
	}
	if sentenceOf(word("none"), "x").ID != "none" || english(sentenceOf(message.Message{}, "x")) != "x" || !sentenceOf(message.Message{}, "").IsZero() {
		t.Error("a sentence is not its message, or else its text")
	}
}

// TestCutSpans checks that a sentence of several parts is cut to a width as a whole.
func TestCutSpans(t *testing.T) {
	for _, width := range []int{100, 18, 12, 9} {
		spans := cutSpans([]message.Span{{Text: "abcd "}, {Kind: message.KindName, Text: "efgh"}, {Text: " ijkl mnop"}}, width)
		total := 0
		for _, s := range spans {
			total += len(s.Text)
		}
		if total > width || width == 100 && len(spans) != 3 {
			t.Errorf("%d columns: %+v", width, spans)
		}
	}
}
