package naming

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A dash of a UUID is one of 36 characters without a digit or letter a-f right before
// or after them.
var wholeUUID = regexp.MustCompile(`(?:^|[^0-9a-fA-F])([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})(?:$|[^0-9a-fA-F])`)

// slowViolations is what Violations and FirstViolation promise, in the plainest way.
func slowViolations(allowed, first, forbidden string, betweenDigits bool, name string) (count int64, at int) {
	at = -1
	if name == "" && first != "" {
		return 1, -1
	}
	inUUID := map[int]bool{}
	for from := range name {
		if m := wholeUUID.FindStringSubmatchIndex(name[from:]); m != nil {
			if start := from + m[2]; start == 0 || !isHex(name[start-1]) {
				for i := range 36 {
					inUUID[start+i] = true
				}
			}
		}
	}
	digit := func(i int) bool { return i >= 0 && i < len(name) && isDigit(name[i]) }
	for i := range len(name) {
		c := string(rune(name[i]))
		bad := allowed != "" && !strings.Contains(allowed, c) || name[i] >= 0x80 && allowed != ""
		if !bad && strings.Contains(forbidden, c) && name[i] < 0x80 {
			bad = !betweenDigits || !(digit(i-1) && digit(i+1)) && !(c == "-" && inUUID[i])
		}
		if bad || i == 0 && first != "" && (!strings.Contains(first, c) || name[i] >= 0x80) {
			if count++; at < 0 {
				at = i
			}
		}
	}
	return count, at
}

func TestEmptyNameLacksItsFirstByte(t *testing.T) {
	for first, want := range map[string]int64{"a-z": 1, "": 0} {
		set, err := NewCharset("a-z:", first, "", false)
		if err != nil {
			t.Fatal(err)
		}
		var f Facts
		NewNamer(":").Facts(nil, &f)
		if got := set.Violations(nil, &f); got != want {
			t.Errorf("first %q: the empty name has %d violations, want %d", first, got, want)
		}
	}
}

func TestCharsetAgreesWithAPlainOne(t *testing.T) {
	const lower, upper, digits = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom([]struct {
			allowed, first, forbidden             string // as ParseSet takes them
			slowAllowed, slowFirst, slowForbidden string
			betweenDigits                         bool
		}{
			{"a-z0-9.:", "a-z", "", lower + digits + ".:", lower, "", false},
			{"A-Z0-9:", "", "", upper + digits + ":", "", "", false},
			{"", "", "-.+=", "", "", "-.+=", true},
			{"", "", "-.+=", "", "", "-.+=", false},
			{"a-z0-9:.-", "", "-", lower + digits + ":.-", "", "-", true},
			{"", "a-z", "-", "", lower, "-", true},
		}).Draw(t, "set")
		set, err := NewCharset(c.allowed, c.first, c.forbidden, c.betweenDigits)
		if err != nil {
			t.Fatal(err)
		}
		name := aName(t)
		if rapid.Bool().Draw(t, "uuid") { // beside the digits of others
			pieces := []string{"", "-", "a", "x", "7", ":", "0-", "-0"}
			name = []byte(rapid.SampledFrom(pieces).Draw(t, "before") + rapid.SampledFrom([]string{"550e8400-e29b-41d4-a716-44665544000b", "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee"}).Draw(t, "id") + rapid.SampledFrom(pieces).Draw(t, "after") + string(name))
		}
		var f Facts
		NewNamer(":").Facts(name, &f)
		count, at := slowViolations(c.slowAllowed, c.slowFirst, c.slowForbidden, c.betweenDigits, string(name))
		if got := set.Violations(name, &f); got != count {
			t.Fatalf("%+v: %q has %d violations, want %d", c, name, got, count)
		}
		if got := set.FirstViolation(name); got != at {
			t.Fatalf("%+v: the first violation of %q is at %d, want %d", c, name, got, at)
		}
	})
}

func TestParseSet(t *testing.T) {
	for text, want := range map[string]string{"": "", "abc": "abc", "a-c": "abc", "a-a": "a", "-a": "-a", "a-": "-a", "a-c-": "-abc", "0-2x": "012x", ".-:": "-.:", "!": "!", "~\x7f": "~\x7f"} {
		set, err := ParseSet(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
		for b := range 256 {
			if set[b] != (b < 0x80 && strings.Contains(want, string(rune(b)))) {
				t.Errorf("%q contains 0x%02x: %v", text, b, set[b])
			}
		}
	}
	for _, text := range []string{"c-a", "a-!", "é", "\x80"} {
		if _, err := ParseSet(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}
