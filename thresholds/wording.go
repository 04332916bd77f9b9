package thresholds

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
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

// measuredText writes a figure of a finding for people.
func measuredText(u Unit, n int64) string {
	switch u {
	case Bytes:
		if n == 1 {
			return "1 byte"
		}
		return humanize.Comma(n) + " bytes"
	case Seconds:
		return spanText(n)
	case Times, Percent:
		return u.Format(n)
	}
	return humanize.Comma(n)
}

// limitText writes a limit for people.
func limitText(u Unit, n int64) string {
	if u == Count || u == NoUnit {
		return humanize.Comma(n)
	}
	return u.Format(n)
}

// spanUnits are the units of lengths of time for people, the largest first.
var spanUnits = []struct {
	name    string
	seconds int64
}{{"d", 86400}, {"h", 3600}, {"min", 60}, {"s", 1}}

// spanText writes seconds by their two largest units: "412 d", "3 h 20 min".
func spanText(n int64) string {
	if n >= 100*86400 {
		return humanize.Comma(n/86400) + " d"
	}
	for i, u := range spanUnits {
		if n < u.seconds && i < len(spanUnits)-1 {
			continue
		}
		s := humanize.Comma(n/u.seconds) + " " + u.name
		if rest := n % u.seconds; i+1 < len(spanUnits) && rest >= spanUnits[i+1].seconds {
			s += fmt.Sprintf(" %d %s", rest/spanUnits[i+1].seconds, spanUnits[i+1].name)
		}
		return s
	}
	return "0 s"
}

// spanOver writes seconds beside the limit that they are over: to the second
// where the two would read alike, "30 d 0 h 0 min 1 s" beside 30 days.
func spanOver(n, limit int64) string {
	s := spanText(n)
	if n == limit || s != spanText(limit) {
		return s
	}
	var parts []string
	for _, u := range spanUnits {
		if len(parts) > 0 || n >= u.seconds {
			parts = append(parts, humanize.Comma(n/u.seconds)+" "+u.name)
			n %= u.seconds
		}
	}
	return strings.Join(parts, " ")
}

// sizeText writes bytes in three digits: "1.34 MB".
func sizeText(n int64) string {
	if n < 10<<10 {
		return measuredText(Bytes, n)
	}
	return strings.Replace(humanize.IBytesN(uint64(n), 3), "iB", "B", 1)
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
