package thresholds

import (
	"fmt"
	"strconv"

	"github.com/rdblens/rdblens/parser/message"
)

// measuredText returns a figure of a finding: exact, except durations.
func measuredText(u message.Unit, n int64) string {
	switch u {
	case message.Bytes:
		return message.FormatExactBytes(n)
	case message.Seconds:
		return message.FormatDuration(n)
	}
	return u.Format(n)
}

// limitText returns a limit.
func limitText(u message.Unit, n int64) string { return u.Format(n) }

// spanOver returns a duration beside the limit that it exceeds: to the second where
// rounding would make the two equal.
func spanOver(n, limit int64) string {
	s := message.FormatDuration(n)
	if n != limit && s == message.FormatDuration(limit) {
		return message.FormatExactDuration(n)
	}
	return s
}

// sizeText returns a size: exact below 10 KB, above with one decimal.
func sizeText(n int64) string {
	if n < 10<<10 {
		return message.FormatExactBytes(n)
	}
	return message.FormatBytes(n)
}

// quoted returns bytes from the snapshot in quotes, cut to 48.
func quoted(b []byte) string {
	const most = 48
	if len(b) > most {
		return strconv.Quote(string(b[:most])) + "..."
	}
	return strconv.Quote(string(b))
}

// quoteKey returns a name as an argument that redis-cli reads as exactly these
// bytes: in double quotes, with \xNN for anything but printable ASCII, and for what a
// shell expands in double quotes. It contains no single quote, so that it can be
// put into single quotes of a shell.
func quoteKey(name []byte) string {
	b := make([]byte, 0, len(name)+2)
	b = append(b, '"')
	for _, c := range name {
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < ' ' || c >= 0x7f || c == '\'' || c == '$' || c == '`' || c == '!':
			b = fmt.Appendf(b, `\x%02x`, c)
		default:
			b = append(b, c)
		}
	}
	return string(append(b, '"'))
}
