package source

import (
	"bytes"

	"github.com/rdblens/rdblens/parser/message"
)

// replication reads what a primary sends before a snapshot: status lines,
// empty lines that keep the connection alive, and "$EOF:" with a mark of 40
// bytes that will follow the snapshot, or "$" with its length in bytes.
func (s *Reader) replication() error {
	var status []byte // the last status line
	for range maxKeepAlives {
		head := s.top.peek(1)
		if len(head) == 0 {
			e := &Error{Reason: message.New("the file holds nothing but empty lines"),
				Hint: message.New("a primary sends them until its snapshot is ready: the capture ended before that")}
			if status != nil {
				e.Reason, e.Hint = message.Format("a replication stream without a snapshot: it ends behind %q", status),
					message.New(captureHint)
			}
			return s.refused(e)
		}
		if head[0] == '\n' {
			s.top.skip(1)
			continue
		}
		line := s.top.line(256)
		if len(line) <= len("\r\n") {
			break
		}
		switch text := line[:len(line)-2]; {
		case text[0] == '+':
			status = bytes.Clone(text)
			s.top.skip(len(line))
			continue
		case len(text) == 45 && bytes.HasPrefix(text, []byte("$EOF:")):
			s.mark = bytes.Clone(text[5:])
			s.frames = append(s.frames, "replication-eof")
		default:
			n, ok := parseLength(bytes.TrimPrefix(text, []byte("$")))
			if text[0] != '$' || !ok {
				return s.refuse()
			}
			s.length = n
			s.frames = append(s.frames, "replication-length")
		}
		s.top.skip(len(line))
		return nil
	}
	return s.refuse()
}

// parseLength parses a number of 1 to 18 decimal digits.
func parseLength(text []byte) (n int64, ok bool) {
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, len(text) > 0 && len(text) <= 18
}
