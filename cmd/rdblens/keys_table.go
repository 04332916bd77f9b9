package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/text"
	"github.com/rdblens/rdblens/thresholds"
)

// keysTable are the rows of a terminal: in columns of a fixed width, because nothing is known
// of the keys to come. Names come last, whole.
var keysTable = &keysFormat{
	row: func(dst []byte, k *parser.Key, _ []thresholds.Finding) []byte {
		memory, elements, expires := k.Memory, "", ""
		if memory < 0 {
			memory = k.ValueBytes
		}
		if k.Elements >= 0 && k.Type != parser.String {
			elements = message.FormatCount(k.Elements)
		}
		if k.HasExpire {
			expires = time.UnixMilli(k.ExpireAt).UTC().Format("2006-01-02 15:04")
		}
		dst = fmt.Appendf(dst, "%9s  %-9s  %11s  %-16s  %3d  ", message.FormatBytes(max(memory, 0)), k.Type, elements,
			expires, k.DB)
		return append(text.AppendDisplay(dst, k.Name), '\n')
	},
	number: func(dst []byte, _ string, n int64, known bool) []byte {
		if dst = append(dst, "  "...); !known {
			return append(dst, '-')
		}
		return text.AppendInt(dst, n)
	},
	text: func(dst []byte, _ string, value []byte, known bool) []byte {
		if dst = append(dst, "  "...); !known {
			return append(dst, '-')
		}
		return text.AppendDisplay(dst, value)
	},
	end: "\n",
	begin: func(out io.Writer, more []string, _ bool) (io.Writer, error) {
		head := fmt.Sprintf("%9s  %-9s  %11s  %-16s  %3s  %s", "memory", "type", "elements", "expires (UTC)", "db", "key")
		_, err := io.WriteString(out, strings.Join(append([]string{head}, more...), "  ")+"\n")
		return out, err
	},
}
