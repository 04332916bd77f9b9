package main

import (
	"bufio"
	"errors"
	"io"
	"strconv"

	"github.com/rdblens/rdblens/parser"
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

// begin begins a command of n arguments, its name included.
func (w *respWriter) begin(n int) { w.head('*', int64(n)) }

func (w *respWriter) head(kind byte, n int64) {
	w.line = strconv.AppendInt(append(w.line[:0], kind), n, 10)
	w.Write(append(w.line, "\r\n"...))
}

// bytes writes an argument.
func (w *respWriter) bytes(arg []byte) {
	w.head('$', int64(len(arg)))
	w.Write(arg)
	w.WriteString("\r\n")
}

// words writes arguments.
func (w *respWriter) words(args ...string) {
	for _, arg := range args {
		w.head('$', int64(len(arg)))
		w.WriteString(arg)
		w.WriteString("\r\n")
	}
}

// number writes a number as an argument.
func (w *respWriter) number(n int64) {
	var digits [20]byte
	w.bytes(strconv.AppendInt(digits[:0], n, 10))
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
		w.begin(2)
		w.words("SELECT", strconv.Itoa(db))
	}
}

// restoreWriter writes keys as RESTORE commands, and libraries of functions as
// FUNCTION RESTORE.
type restoreWriter struct {
	*respWriter
	replace bool
}

func (w *restoreWriter) library(p *parser.Payload) error {
	if w.replace {
		w.begin(4)
	} else {
		w.begin(3)
	}
	w.words("FUNCTION", "RESTORE")
	err := w.payload(p)
	if w.replace {
		w.words("REPLACE")
	}
	return err
}

func (w *restoreWriter) key(r *parser.Records) error {
	k := r.Key()
	p, err := r.Payload()
	var reread *parser.RereadError
	switch {
	case errors.As(err, &reread):
		return err
	case err != nil:
		return &refusal{err.Error()}
	}
	var options []string
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
		options = append(options, "IDLETIME", strconv.FormatInt(k.Idle, 10))
	case k.Freq >= 0:
		options = append(options, "FREQ", strconv.Itoa(int(k.Freq)))
	}
	w.selectDB(k.DB)
	w.begin(4 + len(options))
	w.words("RESTORE")
	w.bytes(k.Name)
	w.number(ttl)
	err = w.payload(p)
	w.words(options...)
	return err
}
