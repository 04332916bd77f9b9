package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
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

// Dragonfly saves a file for each of its shards, NAME-0000.dfs and so on, and
// NAME-summary.dfs, which has no keys and says how many there are. Whoever names the
// summary means the set.

const (
	summaryEnd = "-summary.dfs"
	// maxShards bounds the shards of a set: a server has one for each of its threads.
	maxShards = 4096
)

type shardSet struct {
	summary string // path
	id      string // snapshot-id of the summary, "" unknown
}

// fileSet returns the shards of a set by the path of its summary; none if the path is
// that of no summary. Nothing is known of those that are missing.
func fileSet(summary string) (paths []string, set *shardSet) {
	name, ok := strings.CutSuffix(summary, summaryEnd)
	if !ok {
		return nil, nil
	}
	aux := dragonflyHeader(summary)
	n, err := strconv.Atoi(aux["shard-count"])
	if err != nil {
		return nil, nil
	}
	for i := range min(n, maxShards) {
		paths = append(paths, fmt.Sprintf("%s-%04d.dfs", name, i))
	}
	return paths, &shardSet{summary, aux["snapshot-id"]}
}

// dragonflyHeader returns the fields of the header of a file of Dragonfly's, nil if
// it is none.
func dragonflyHeader(path string) map[string]string {
	if st, err := os.Stat(path); err != nil || !st.Mode().IsRegular() {
		return nil
	}
	src, err := parser.Open(path)
	if err != nil {
		return nil
	}
	defer src.Close()
	info := parser.NewScanner(src, parser.Options{}).Info()
	if info.Server != "dragonfly" {
		return nil
	}
	aux := make(map[string]string)
	for _, a := range info.Aux {
		aux[a.Name] = a.Value
	}
	return aux
}

// withShards returns the inputs of a command line, with the shards of each set
// after its summary. Shards that are named besides are not read twice.
func (e *env) withShards(list []*input) []*input {
	var out []*input
	named := func(path string) bool {
		return slices.ContainsFunc(list, func(in *input) bool { return filepath.Clean(in.path) == filepath.Clean(path) })
	}
	for _, in := range list {
		out = append(out, in)
		shards, set := fileSet(in.path)
		for _, path := range shards {
			if named(path) {
				continue
			}
			shard := &input{name: path, path: path, size: -1, shard: set, failed: set.check(path)}
			if in.name != in.path { // a label
				shard.name = in.name + "/" + filepath.Base(path)
			}
			if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() {
				shard.size = st.Size()
			}
			out = append(out, shard)
		}
		if summary, ok := summaryOf(in.path); ok && !named(summary) && dragonflyHeader(in.path)["shard-id"] != "" {
			e.complain(inputError(in.name, message.New("this is one shard of a snapshot of Dragonfly")),
				message.New("name {file} to read all of them", message.Path("file", summary)))
		}
	}
	return out
}

// withoutLost drops the shards of sets of which no shard is there: a summary alone
// has no rows.
func withoutLost(list []*input) []*input {
	there := make(map[*shardSet]bool)
	for _, in := range list {
		if in.shard != nil && in.size >= 0 {
			there[in.shard] = true
		}
	}
	return slices.DeleteFunc(list, func(in *input) bool { return in.shard != nil && !there[in.shard] })
}

// summaryOf returns the path of the summary beside a shard. ok is false for a path
// that is no shard's.
func summaryOf(shard string) (summary string, ok bool) {
	name, ok := strings.CutSuffix(shard, ".dfs")
	i := strings.LastIndexByte(name, '-')
	if !ok || i < 0 || len(name)-i != len("-0000") {
		return "", false
	}
	_, err := strconv.ParseUint(name[i+1:], 10, 16)
	return name[:i] + summaryEnd, err == nil
}

// check returns why the file cannot be read as a part of the set, nil if it can.
func (s *shardSet) check(path string) error {
	summary := filepath.Base(s.summary)
	switch _, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return &parser.FormatError{Reason: message.New("this shard of {file} is missing", message.Path("file", summary)),
			Hint: message.New("copy all .dfs files of the snapshot into one directory")}
	case err != nil:
		return nil // opening it says why
	}
	if id := dragonflyHeader(path)["snapshot-id"]; id != "" && s.id != "" && id != s.id {
		return &parser.FormatError{Reason: message.New("this shard is of another snapshot than {file}", message.Path("file",
			summary)), Hint: message.New("copy all .dfs files of one snapshot, which have the same snapshot-id")}
	}
	return nil
}
