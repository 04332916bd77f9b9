package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"sync/atomic"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report"
)

type input struct {
	name   string                        // its label, or its path without what may be secret in a URL
	path   string                        // or URL; "-" is standard input
	size   int64                         // bytes on the disk, -1 if unknown
	limit  int64                         // bytes of a download at most
	source atomic.Pointer[parser.Source] // while it is being read
	passed atomic.Int64                  // bytes that were read when it was closed
	failed error                         // why it cannot be opened
	state  []byte                        // that was read from standard input
	later  *report.Later                 // what was written after it, nil: it is no base of an append-only file
	warn   func(message.Message)         // is called before each further attempt of a download, unless it is nil
	shard  *shardSet                     // of which set of Dragonfly's it is a shard, nil: it was named itself
	judge  string                        // of a state: what judged its keys, "" it is none
}

func (in *input) stat(stdin io.Reader) (fs.FileInfo, error) {
	if in.path != "-" {
		return os.Stat(in.path)
	}
	if f, ok := stdin.(*os.File); ok {
		return f.Stat()
	}
	return nil, fs.ErrInvalid
}

// once reports whether the input can be read once only: standard input, even if it is a
// file, of which open reads the rest, and a pipe.
func (in *input) once() bool {
	st, err := os.Stat(in.path)
	return in.path == "-" || err == nil && !st.Mode().IsRegular() && !st.IsDir()
}

// open opens the input. Reading anything but a regular file ends with the context,
// however long the other side is silent.
func (in *input) open(ctx context.Context, stdin io.Reader) (*openInput, error) {
	var src *parser.Source
	var d *download
	var err error
	ctx, cancel := context.WithCancel(ctx)
	switch st, statErr := os.Stat(in.path); {
	case in.failed != nil:
		err = in.failed
	case in.path == "-":
		src, err = parser.Wrap(newPump(ctx, func() (io.Reader, error) { return stdin, nil }))
	case statErr == nil && !st.Mode().IsRegular() && !st.IsDir():
		src, err = parser.Wrap(newPump(ctx, func() (io.Reader, error) { return os.Open(in.path) }))
	case statErr != nil && isURL(in.path):
		if d, err = newDownload(ctx, in.path, in.limit); err == nil {
			d.warn = in.warn
			src, err = parser.Wrap(d)
		}
	default:
		src, err = parser.Open(in.path)
	}
	if err != nil {
		cancel()
		d.Close()
		return nil, err
	}
	in.source.Store(src)
	return &openInput{src, in, d, cancel}, nil
}

type openInput struct {
	*parser.Source
	in   *input
	from *download // nil: it is none
	// cancel ends a read that waits for a pipe or a server.
	cancel context.CancelFunc
}

// Close drops the source too, which holds the buffers of its decompression.
func (o *openInput) Close() error {
	o.cancel()
	err := o.Source.Close()
	o.in.passed.Store(o.Progress())
	o.in.source.Store(nil)
	o.from.Close()
	return err
}

// progress shows a progress bar for the inputs until stop is called.
func (e *env) progress(list []*input) (stop func()) {
	total := int64(0)
	for _, in := range list {
		if in.size < 0 || total < 0 {
			total = -1
			continue
		}
		total += in.size
	}
	return startProgress(e.stderr, total, func() (n int64) {
		for _, in := range list {
			n += in.read()
		}
		return n
	})
}

// read returns the number of bytes of the input's file that were read.
func (in *input) read() int64 {
	if src := in.source.Load(); src != nil {
		return src.Progress()
	}
	return in.passed.Load()
}

func unread(err error) (reason, hint message.Message) {
	reason, hint = message.Of(reasonOf(err)), hintOf(err)
	switch {
	case !hint.IsZero():
	case errors.Is(err, fs.ErrNotExist):
		hint = message.New("check the path; CONFIG GET dir and CONFIG GET dbfilename show where the server writes " +
			"its snapshot")
	case errors.Is(err, fs.ErrPermission):
		hint = message.New("the file must be readable by this user")
	}
	return reason, hint
}

func inputError(name string, reason message.Message) error {
	file := message.Path("file", name)
	if name == "-" {
		file = message.Word("file", "standard input")
	}
	return message.Errorf("{file}: {reason}", file, message.Phrase("reason", reason))
}

// inputFailed ends the command with a code because of an input.
func inputFailed(code int, name, id string, args ...message.Arg) *exitError {
	return &exitError{code: code, err: inputError(name, message.New(id, args...))}
}

// unreadable returns the error of a command whose only input could not be read.
func unreadable(name string, err error) error {
	reason, hint := unread(err)
	return &exitError{code: exitUsage, err: inputError(name, reason), hint: hint}
}

// pumpBlock is the number of bytes that a pump reads at a time.
const pumpBlock = 256 << 10

// pump is a reader of a source that may be silent for ever (a pipe, a terminal).
// Its Read returns when the context ends, which read(2) does not.
type pump struct {
	ctx  context.Context
	full chan block
	block
}

type block struct {
	data []byte
	err  error // after the data
}

// newPump reads what open returns, in a goroutine that ends with the source, or
// with the process if nobody reads on. It fills one block while the other is read.
func newPump(ctx context.Context, open func() (io.Reader, error)) io.Reader {
	p := &pump{ctx: ctx, full: make(chan block)}
	go func() {
		r, err := open()
		if err != nil {
			p.full <- block{err: err}
			return
		}
		b, other := make([]byte, pumpBlock), make([]byte, pumpBlock)
		for n := 0; err == nil; b, other = other, b {
			n, err = r.Read(b)
			p.full <- block{b[:n], err}
		}
	}()
	return p
}

func (p *pump) Read(b []byte) (int, error) {
	for len(p.data) == 0 && p.err == nil {
		select {
		case p.block = <-p.full: // even if the context has ended
			continue
		default:
		}
		select {
		case p.block = <-p.full:
		case <-p.ctx.Done():
			p.err = p.ctx.Err()
		}
	}
	if len(p.data) == 0 {
		return 0, p.err
	}
	n := copy(b, p.data)
	p.data = p.data[n:]
	return n, nil
}

// reasonOf returns an error of the operating system without the path, which is named
// apart.
func reasonOf(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	return err
}
