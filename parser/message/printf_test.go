package message

import (
	"errors"
	"testing"
)

func TestFormatOfPrintf(t *testing.T) {
	for _, c := range []struct {
		m        Message
		id, text string
	}{
		{Format("no verbs"), "no verbs", "no verbs"},
		{Format("%d of %d: %s", 5, uint64(1<<63), "x"), "{a} of {b}: {c}", "5 of 9223372036854775808: x"},
		{Format("byte 0x%02x, %q", 10, "a b"), "byte 0x{a}, {b}", `byte 0x0a, "a b"`},
		{Format("%q", []byte("{a}")), "{a}", "{a}"},
		{Format("100%% of %d", int8(-1)), "100% of {a}", "100% of -1"},
		{Format("%v", errors.New("it broke")), "{a}", "it broke"},
		{Format("%s: %s", "x", Format("%d", 1)), "{a}: {b}", "x: 1"},
	} {
		if c.m.ID != c.id || c.m.String() != c.text {
			t.Errorf("%q, %q; want %q, %q", c.m.ID, c.m, c.id, c.text)
		}
	}
}
