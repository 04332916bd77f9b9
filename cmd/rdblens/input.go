package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync/atomic"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/report"
)

// input is one snapshot that a command reads.
type input struct {
	name   string                        // as it was given, "-" is standard input
	size   int64                         // bytes on the disk, -1 unknown
	source atomic.Pointer[parser.Source] // while it is being read
	passed atomic.Int64                  // bytes that were consumed when it was closed
}

// inputs names the snapshots of a command line.
func (e *env) inputs(args []string) ([]*input, error) {
	var list []*input
	stdin := false
	for _, name := range args {
		in := &input{name: name, size: -1}
		if name == "-" {
			if stdin {
				return nil, usageError("standard input can be read only once", "")
			}
			stdin = true
		}
		if st, err := in.stat(e.stdin); err == nil && st.Mode().IsRegular() {
			in.size = st.Size()
		}
		list = append(list, in)
	}
	return list, nil
}

func (in *input) stat(stdin io.Reader) (fs.FileInfo, error) {
	if in.name != "-" {
		return os.Stat(in.name)
	}
	if f, ok := stdin.(*os.File); ok {
		return f.Stat()
	}
	return nil, fs.ErrInvalid
}

// open makes the input ready to be read. Reading what is no regular file ends
// with the context, however long the other side stays silent.
func (in *input) open(ctx context.Context, stdin io.Reader) (*parser.Source, error) {
	var src *parser.Source
	var err error
	switch st, statErr := os.Stat(in.name); {
	case in.name == "-":
		src, err = parser.Wrap(newPump(ctx, func() (io.Reader, error) { return stdin, nil }))
	case statErr == nil && !st.Mode().IsRegular() && !st.IsDir():
		src, err = parser.Wrap(newPump(ctx, func() (io.Reader, error) { return os.Open(in.name) }))
	default:
		src, err = parser.Open(in.name)
	}
	if err == nil {
		in.source.Store(src)
	}
	return src, err
}

// reportSource returns the input as report.Scan reads it.
func (in *input) reportSource(stdin io.Reader) report.Source {
	return report.Source{Name: in.name, Size: in.size, Open: func(ctx context.Context) (io.ReadCloser, error) {
		src, err := in.open(ctx, stdin)
		if err != nil {
			return nil, err
		}
		return &openInput{src, in}, nil
	}}
}

// openInput is an input that is being read.
type openInput struct {
	*parser.Source
	in *input
}

func (o *openInput) Close() error {
	o.in.close(o.Source)
	return nil
}

// close ends the reading of what open gave. The source is let go of: it holds
// the buffers of what unpacks it.
func (in *input) close(src *parser.Source) {
	in.passed.Store(src.Progress())
	in.source.Store(nil)
	src.Close()
}

// progress shows how far the reading of inputs has come, until stop is called.
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

// read gives the bytes of the input's file that were consumed.
func (in *input) read() int64 {
	if src := in.source.Load(); src != nil {
		return src.Progress()
	}
	return in.passed.Load()
}

// unread says why nothing of an input could be read, and what to do.
func unread(err error) (reason, hint string) {
	var format *parser.FormatError
	var path *fs.PathError
	switch {
	case errors.As(err, &format):
		return format.Reason, format.Hint
	case errors.As(err, &path):
		reason = path.Err.Error()
	default:
		reason = err.Error()
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		hint = "check the path; CONFIG GET dir and CONFIG GET dbfilename say where the server keeps its snapshot"
	case errors.Is(err, fs.ErrPermission):
		hint = "the file must be readable by this user"
	}
	return reason, hint
}

// inputError is the error of an input, under its name.
func inputError(name, reason string) error {
	if name == "-" {
		name = "standard input"
	} else {
		name = fmt.Sprintf("%q", name)
	}
	return fmt.Errorf("%s: %s", name, reason)
}

// unreadable ends a command whose only input could not be read.
func unreadable(name string, err error) error {
	reason, hint := unread(err)
	return &exitError{code: exitUsage, err: inputError(name, reason), hint: hint}
}

// pumpBlock is what a pump reads at a time.
const pumpBlock = 256 << 10

// pump is a reader over a source that may be silent for ever (a pipe, a
// terminal): its Read gives up when the context ends, which no read(2) does.
type pump struct {
	ctx  context.Context
	full chan block
	free chan []byte
	rest []byte // unread part of the block in hand
	hand []byte
	err  error
}

type block struct {
	data []byte
	err  error
}

// newPump reads from what open gives, in a goroutine of its own that ends with
// the source, or with the process if the source never speaks again.
func newPump(ctx context.Context, open func() (io.Reader, error)) io.Reader {
	p := &pump{ctx: ctx, full: make(chan block, 1), free: make(chan []byte, 2)}
	for range cap(p.free) {
		p.free <- make([]byte, pumpBlock)
	}
	go p.run(open)
	return p
}

func (p *pump) run(open func() (io.Reader, error)) {
	r, err := open()
	for {
		var b []byte
		select {
		case b = <-p.free:
		case <-p.ctx.Done():
			return
		}
		n := 0
		if err == nil {
			n, err = r.Read(b)
		}
		select {
		case p.full <- block{b[:n], err}:
		case <-p.ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

func (p *pump) Read(b []byte) (int, error) {
	for len(p.rest) == 0 {
		if p.err != nil {
			return 0, p.err
		}
		if p.hand != nil {
			p.free <- p.hand[:cap(p.hand)]
			p.hand = nil
		}
		select {
		case next := <-p.full: // what has been read counts, though the context may have ended
			p.take(next)
			continue
		default:
		}
		select {
		case next := <-p.full:
			p.take(next)
		case <-p.ctx.Done():
			p.err = p.ctx.Err()
		}
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

func (p *pump) take(next block) { p.hand, p.rest, p.err = next.data, next.data, next.err }
