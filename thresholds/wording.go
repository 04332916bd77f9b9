package thresholds

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/rdblens/rdblens/thresholds/units"
)

// catalogue has the sentences of one language by their keys.
type catalogue map[string]string

// say puts words into the sentence of a key: pairs of a name and what stands
// for it.
func (c catalogue) say(key string, pairs ...string) string {
	s, ok := c[key]
	if !ok {
		return ""
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		pairs[i] = "{" + pairs[i] + "}"
	}
	return strings.NewReplacer(pairs...).Replace(s)
}

// has reports whether there is a sentence for a key.
func (c catalogue) has(key string) bool {
	_, ok := c[key]
	return ok
}

// noted gives the key of the sentence for a rule and note: that of the rule
// alone where the note has none of its own.
func (c catalogue) noted(rule string, note uint8) string {
	if key := rule + "." + strconv.Itoa(int(note)); c.has(key) {
		return key
	}
	return rule
}

// measuredText returns a figure of a finding: exact, except durations.
func measuredText(u Unit, n int64) string {
	switch u {
	case Bytes:
		return units.FormatExactBytes(n)
	case Seconds:
		return units.FormatDuration(n)
	}
	return u.Format(n)
}

// limitText returns a limit.
func limitText(u Unit, n int64) string { return u.Format(n) }

// spanOver returns a duration beside the limit that it exceeds: to the second where
// rounding would make the two equal.
func spanOver(n, limit int64) string {
	s := units.FormatDuration(n)
	if n != limit && s == units.FormatDuration(limit) {
		return units.FormatExactDuration(n)
	}
	return s
}

// sizeText returns a size: exact below 10 KB, above with one decimal.
func sizeText(n int64) string {
	if n < 10<<10 {
		return units.FormatExactBytes(n)
	}
	return units.FormatBytes(n)
}

// quoted shows foreign bytes, cut to what a sentence bears.
func quoted(b []byte) string {
	const most = 48
	if len(b) > most {
		return strconv.Quote(string(b[:most])) + "..."
	}
	return strconv.Quote(string(b))
}

// QuoteKey writes a name as an argument that redis-cli takes for exactly these
// bytes: in double quotes, with \xNN for what is not printable ASCII. It has no
// single quote in it, so that a shell takes it within single quotes.
func QuoteKey(name []byte) string {
	b := make([]byte, 0, len(name)+2)
	b = append(b, '"')
	for _, c := range name {
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < ' ' || c >= 0x7f || c == '\'':
			b = fmt.Appendf(b, `\x%02x`, c)
		default:
			b = append(b, c)
		}
	}
	return string(append(b, '"'))
}
