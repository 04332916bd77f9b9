package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
)

// respWriter writes commands in the protocol of Redis (RESP), as redis-cli --pipe
// takes them. Errors of writing are kept by the buffer, whose Flush returns them.
type respWriter struct {
	*bufio.Writer
	line []byte
	db   int // that was selected last, -1 none
}

func newRESP(w io.Writer) *respWriter {
	return &respWriter{Writer: bufio.NewWriterSize(w, 64<<10), db: -1}
}

// command writes a command of texts, bytes, and numbers or IDs.
func (w *respWriter) command(args ...any) {
	w.begin(len(args))
	w.args(args...)
}

func (w *respWriter) begin(n int) { w.head('*', int64(n)) }

func (w *respWriter) head(kind byte, n int64) {
	w.line = strconv.AppendInt(append(w.line[:0], kind), n, 10)
	w.Write(append(w.line, "\r\n"...))
}

func (w *respWriter) args(args ...any) {
	for _, arg := range args {
		switch arg := arg.(type) {
		case []byte:
			w.bytes(arg)
		case string:
			w.text(arg)
		default:
			w.text(fmt.Sprint(arg))
		}
	}
}

func (w *respWriter) bytes(arg []byte) {
	w.head('$', int64(len(arg)))
	w.Write(arg)
	w.WriteString("\r\n")
}

func (w *respWriter) text(arg string) {
	w.head('$', int64(len(arg)))
	w.WriteString(arg)
	w.WriteString("\r\n")
}

// payload writes a payload as an argument. The error is one of reading.
func (w *respWriter) payload(p *parser.Payload) error {
	w.head('$', p.Size())
	_, err := p.WriteTo(w)
	w.WriteString("\r\n")
	return err
}

// selectDB writes SELECT where a key's database is another than that of the key
// before.
func (w *respWriter) selectDB(db int) {
	if db != w.db {
		w.db = db
		w.command("SELECT", db)
	}
}

// restoreWriter writes keys as RESTORE commands, and libraries of functions as
// FUNCTION RESTORE.
type restoreWriter struct {
	*respWriter
	replace bool
}

func (w *restoreWriter) library(p *parser.Payload) error {
	var options []any
	if w.replace {
		options = append(options, "REPLACE")
	}
	w.begin(3 + len(options))
	w.args("FUNCTION", "RESTORE")
	err := w.payload(p)
	w.args(options...)
	return err
}

// firstOfDragonfly is the first of the type bytes that Dragonfly alone has.
const firstOfDragonfly = 30

func (w *restoreWriter) key(r *parser.Records) error {
	k := r.Key()
	if r.Info().Server == "dragonfly" && (k.RDBType >= firstOfDragonfly || k.Type == parser.JSON) {
		return refuse("no other server has the type {n} of Dragonfly", message.Int("n", int64(k.RDBType)))
	}
	p, err := r.Payload()
	var reread *parser.RereadError
	switch {
	case errors.As(err, &reread):
		return err
	case err != nil:
		return &refusal{message.Of(err)}
	}
	var options []any
	ttl := int64(0)
	if k.HasExpire {
		ttl = max(1, k.ExpireAt) // 0 would be none, and less is refused
		options = append(options, "ABSTTL")
	}
	if w.replace {
		options = append(options, "REPLACE")
	}
	switch {
	case k.Idle >= 0:
		options = append(options, "IDLETIME", k.Idle)
	case k.Freq >= 0:
		options = append(options, "FREQ", k.Freq)
	}
	w.selectDB(k.DB)
	w.begin(4 + len(options))
	w.args("RESTORE", k.Name, ttl)
	err = w.payload(p)
	w.args(options...)
	return err
}
