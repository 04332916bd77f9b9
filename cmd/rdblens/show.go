package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/memory"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report"
	"github.com/rdblens/rdblens/report/text"
)

type showOptions struct {
	keysFlags // those that select keys
	source    sourceFlags
	format    string
	limit     int // -1 no limit
	portable  bool
	fieldTTLs bool
	functions bool
	replace   bool
	raw       bool
}

func newShow(e *env) *cobra.Command {
	var o showOptions
	cmd := &cobra.Command{
		Use:   "show FILE [KEY...]",
		Short: "Show what keys hold, or write the commands that put them back",
		Args:  atLeastOneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(cmd, args[1:]); err != nil {
				return err
			}
			return e.show(cmd.Context(), &o, args[0], args[1:])
		},
	}
	f := cmd.Flags()
	formats := []string{"text", "json", "resp"}
	o.format, o.limit = "text", 100
	option{name: "format", short: "f", arg: "FORMAT", value: "text", usage: strings.Join(formats, ", "),
		words: formats, hint: "show writes text, json or resp", set: oneOf(&o.format, "format", formats)}.add(cmd)
	option{name: "limit", arg: "N", value: "100", usage: "elements to show of each key; json shows all by default",
		hint: "0 shows the key's figures alone", set: wholeNumber(&o.limit, 0, math.MaxInt)}.add(cmd)
	o.policyFlags.register(cmd)
	o.filter.register(cmd)
	o.registerChoice(cmd)
	o.source.register(cmd)
	f.BoolVar(&o.raw, "raw", false, "write the bytes of strings as they are, and nothing else")
	f.BoolVar(&o.portable, "portable", false, "resp: write plain commands for any server in place of RESTORE")
	f.BoolVar(&o.fieldTTLs, "field-ttls", false,
		"with --portable: write HPEXPIREAT for fields with a TTL (Redis 7.4, Valkey 9.0)")
	f.BoolVar(&o.functions, "functions", false, "resp: write the libraries of functions, also with selected keys")
	f.BoolVar(&o.replace, "replace", false, "resp: replace existing keys and libraries")
	return cmd
}

// check refuses flags that do not fit together.
func (o *showOptions) check(cmd *cobra.Command, keys []string) error {
	given := cmd.Flags().Changed
	if o.format == "resp" && given("limit") {
		return usageError("--limit is for text and json").withHint("resp writes whole keys")
	}
	for _, name := range []string{"portable", "functions", "replace"} {
		if given(name) && o.format != "resp" {
			return usageError("--{name} is for --format resp", message.Text("name", name))
		}
	}
	if o.raw && (given("format") || given("limit")) {
		return usageError("--raw writes the bytes of strings: it excludes --format and --limit")
	}
	if o.fieldTTLs && !o.portable {
		return usageError("--field-ttls is for --portable").withHint("RESTORE includes the TTLs of fields")
	}
	if err := o.filter.ready(); err != nil {
		return err
	}
	chosen := o.filter.active() || o.needsRules()
	if o.format == "text" && len(keys) == 0 && !chosen {
		return usageError("{code} takes a snapshot and a key",
			message.Code("code", cmd.CommandPath())).withHint(cmd.UseLine())
	}
	if !given("functions") {
		o.functions = len(keys) == 0 && !chosen
	}
	if o.format == "json" && !given("limit") {
		o.limit = -1
	}
	return nil
}

type keyWriter interface {
	io.Writer
	// key writes the current key. The error is a *refusal, a *parser.RereadError
	// or one of writing.
	key(r *parser.Records) error
	// library writes a library of functions.
	library(p *parser.Payload) error
	Flush() error
}

// refusal says why a key cannot be written in a format, although it was read.
type refusal struct{ reason message.Message }

func refuse(id string, args ...message.Arg) *refusal {
	return &refusal{message.New(id, args...)}
}

func (r *refusal) Error() string { return r.reason.String() }

// goesOn reports whether nothing has failed to be written.
func goesOn(w io.Writer) bool {
	_, err := w.Write(nil)
	return err == nil
}

func (o *showOptions) writer(e *env) (keyWriter, error) {
	switch {
	case o.raw && isTerminal(e.stdout):
		return nil, usageError("a terminal may take bytes for commands").withHint("redirect standard output: > FILE")
	case o.raw:
		return &rawWriter{bufio.NewWriter(e.stdout)}, nil
	case o.format == "json":
		return &jsonWriter{Writer: bufio.NewWriterSize(e.stdout, 64<<10), limit: o.limit}, nil
	case o.format == "text":
		w := newTextWriter(e, o.limit, o.policy)
		var err error
		w.source, err = e.finder(&o.source, o.policy)
		return w, err
	case o.portable:
		return &portableWriter{respWriter: newRESP(e.stdout), replace: o.replace, fieldTTLs: o.fieldTTLs}, nil
	}
	return &restoreWriter{newRESP(e.stdout), o.replace}, nil
}

func (e *env) show(ctx context.Context, o *showOptions, file string, keys []string) error {
	x := &expander{env: e}
	if err := x.add("", file, nil); err != nil {
		return err
	}
	list := e.withShards(x.list)
	if err := report.CheckTargets([]report.Target{{}}, paths(list)); err != nil {
		return outputError(err) // standard output would go to the snapshot
	}
	if o.format == "text" && !o.raw || o.needsRules() {
		if err := o.load(ctx, e); err != nil {
			return err
		}
	}
	out, err := o.writer(e)
	if err != nil {
		return err
	}
	s := &showing{e: e, choice: &o.keysFlags, functions: o.functions, out: out}
	for _, key := range keys {
		name, err := text.Unescape([]byte(key))
		if err != nil {
			name = []byte(key) // not escaped
		}
		s.names = append(s.names, name)
	}
	s.named = len(s.names) > 0
	s.sizes = o.format != "resp" || o.only != 0 || o.filter.MinMemory != nil || o.filter.MaxMemory != nil
	if o.policy != nil {
		s.details = o.policy.Details()
	}
	stop := func() {}
	if !isTerminal(e.stdout) || s.named {
		stop = e.progress(list)
	}
	err = s.files(ctx, list)
	stop()
	if err == nil {
		err = s.notFound()
	}
	return err
}

type showing struct {
	e         *env
	in        *input
	sizes     bool // the memory of keys is written
	details   parser.Details
	choice    *keysFlags
	names     [][]byte // keys that are still looked for
	named     bool     // keys were named
	functions bool
	out       keyWriter
	refused   int // keys
}

// keep reports whether a key may be wanted, of which only what precedes its value is known.
func (s *showing) keep(k *parser.Key) bool {
	return s.choice.filter.keepNamed(k) && (!s.named || s.index(k) >= 0)
}

// index returns the index of a key's name among those that are looked for, -1 if
// it is none of them.
func (s *showing) index(k *parser.Key) int {
	return slices.IndexFunc(s.names, func(name []byte) bool { return bytes.Equal(name, k.Name) })
}

func (s *showing) files(ctx context.Context, list []*input) (err error) {
	var failed error
	for _, in := range list {
		s.in = in
		var exit *exitError
		switch err := s.run(ctx); {
		case err == nil || len(list) == 1:
			failed = err
		case errors.As(err, &exit) && !isInterrupt(ctx.Err()):
			if exit.err != nil {
				s.e.complain(exit.err, exit.hint)
			}
			failed = &exitError{code: exitPartial}
		default:
			return err
		}
		if s.named && len(s.names) == 0 {
			break
		}
	}
	return failed
}

func (s *showing) run(ctx context.Context) error {
	src, err := s.in.open(ctx, s.e.stdin)
	if err != nil {
		return s.ended(err, 0)
	}
	defer src.Close()
	options := parser.RecordOptions{Keep: s.keep}
	options.Details = s.details
	if s.sizes {
		source := s.e.source(s.in)
		sizes, _ := report.FindOptions(ctx, &source, memory.Options{}, false)
		options.Memory = func(info *parser.Info) *memory.Model { return modelOf(sizes, info) }
	}
	if s.functions {
		options.Library = s.out.library
	}
	r := parser.NewRecords(ctx, src, options)
	defer r.Close()
	rows := &rowWriter{keysFlags: s.choice}
	if info := r.Info(); info != nil {
		rows.start(info)
	}
	chosen, written := rows.newRows(), int64(0)
	for r.Next() {
		if !chosen.wanted(r.Key()) {
			continue
		}
		if i := s.index(r.Key()); i >= 0 {
			s.names = slices.Delete(s.names, i, i+1)
		}
		err := s.out.key(r)
		if refused, ok := errors.AsType[*refusal](err); ok {
			s.refuse(r.Key(), refused)
			err = nil
		}
		if err == nil {
			_, err = s.out.Write(nil) // an error of writing until now
		}
		if err != nil {
			return s.broken(err)
		}
		if written++; s.named && len(s.names) == 0 {
			return s.flush()
		}
	}
	if err := r.Err(); err != nil {
		if err := s.flush(); err != nil && s.refused == 0 {
			return err
		}
		return s.ended(err, written)
	}
	return s.flush()
}

// refuse names a key that cannot be written.
func (s *showing) refuse(k *parser.Key, why *refusal) {
	s.refused++
	s.e.complain(inputError(s.in.name,
		message.New("key {key} in database {db} is not written: {reason}", message.Name("key", shortened(k.Name)),
			message.Figure("db", int64(k.DB), message.FormNumber), message.Phrase("reason", why.reason))), message.Message{})
}

func (s *showing) flush() error {
	if err := s.out.Flush(); err != nil {
		return outputError(err)
	}
	if s.refused > 0 {
		return &exitError{code: exitPartial}
	}
	return nil
}

// broken ends the command in the middle of a key.
func (s *showing) broken(err error) error {
	if _, ok := errors.AsType[*parser.RereadError](err); !ok {
		return outputError(err)
	}
	s.out.Flush()
	return (&exitError{code: exitPartial, err: inputError(s.in.name,
		message.Of(err))}).withHint("the file was changed meanwhile; the output ends in the middle of a key")
}

// ended says why the reading ended before all keys were found.
func (s *showing) ended(err error, written int64) error {
	var damage *parser.DamageError
	switch {
	case !s.named && (isInterrupt(err) || errors.As(err, &damage)):
		bad := new(failures)
		bad.add(s.in.name, written, err)
		return bad.end(s.e, 1)
	case isInterrupt(err):
		return inputFailed(exitPartial, s.in.name,
			"interrupted before the key was found").withHint("whether the snapshot has the key is not known")
	case !errors.As(err, &damage):
		return unreadable(s.in.name, err)
	}
	hint := "the key was not found before the damage"
	for _, name := range s.names {
		if damage.Key != nil && bytes.Equal(damage.Key, name) {
			hint = "the damage is in a key of that name: what it holds cannot be read"
		}
	}
	return (&exitError{code: exitPartial, err: inputError(s.in.name, message.Of(err))}).withHint(hint)
}

func (s *showing) notFound() error {
	for i, name := range s.names {
		reason := message.New("no key {key}", message.Name("key", shortened(name)))
		if databases := s.choice.filter.Databases; len(databases) == 1 {
			reason = message.New("no key {key} in database {db}", reason.Args[0],
				message.Figure("db", int64(databases[0]), message.FormNumber))
		}
		err := inputError(s.in.name, reason)
		if later := s.in.later.Text(false); i == len(s.names)-1 && !later.IsZero() {
			return (&exitError{code: exitUsage, err: err}).withHint("{later}", message.Phrase("later", later))
		}
		if i == len(s.names)-1 {
			return (&exitError{code: exitUsage,
				err: err}).withHint(`rdblens keys lists the keys; a backslash in a name is written \\`)
		}
		s.e.complain(err, message.Message{})
	}
	return nil
}
