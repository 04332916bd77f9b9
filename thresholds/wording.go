package thresholds

import (
	"fmt"

	"github.com/rdblens/rdblens/parser/message"
)

// CommandText returns a command of Advice. Names in it are arguments that redis-cli
// reads as exactly their bytes, also if redaction has replaced them.
func CommandText(command message.Message) string {
	var b []byte
	for _, s := range command.Spans(nil) {
		if s.Kind == message.KindName || s.Kind == message.KindElement {
			b = append(b, quoteKey(s.Text)...)
		} else {
			b = append(b, s.Text...)
		}
	}
	return string(b)
}

// quoteKey returns a name as an argument that redis-cli reads as exactly these
// bytes: in double quotes, with \xNN for anything but printable ASCII, and for what a
// shell expands in double quotes. It contains no single quote, so that it can be
// put into single quotes of a shell.
func quoteKey(name string) string {
	b := make([]byte, 0, len(name)+2)
	b = append(b, '"')
	for _, c := range []byte(name) {
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
