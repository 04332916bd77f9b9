package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report"
)

type mergeFlags struct {
	expandFlags
	reportFlags
}

func newMerge(e *env) *cobra.Command {
	var o mergeFlags
	cmd := &cobra.Command{
		Use:   "merge FILE...",
		Short: "Make one report of the states that scan -f shard=FILE saved",
		Long:  formatHelp(),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError("no state given").withHint("rdblens scan -f shard=FILE dump.rdb saves one")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return e.merge(cmd.Context(), &o, args) },
	}
	o.expandFlags.register(cmd)
	o.reportFlags.register(e, cmd, "")
	runOption(&o.Run, "leave out states of other runs, and name the snapshots that have no state of this one; today is "+
		"the day in UTC").add(cmd)
	age := int64(0)
	option{name: "max-age", arg: "DURATION",
		usage: "leave out states of older snapshots, and name the snapshots that have no other", hint: "write {names}",
		names: "26h or 2d", set: func(arg string) error {
			err := durationOf(&age)(arg)
			o.MaxAge = time.Duration(age) * time.Second
			return err
		}}.add(cmd)
	option{name: "expect", arg: "NAME,...", usage: "names of snapshots, or @FILE with one a line, that must have a state",
		hint: "write {names}", names: "a.rdb,b.rdb or @FILE", set: func(arg string) (err error) {
			o.Expect, err = expected(o.Expect, arg)
			return err
		}}.add(cmd)
	return cmd
}

func expected(list []string, arg string) ([]string, error) {
	separator, before := ",", len(list)
	if file, isFile := strings.CutPrefix(arg, "@"); isFile {
		b, err := os.ReadFile(file)
		if err != nil {
			return nil, reasonOf(err)
		}
		arg, separator = string(b), "\n"
	}
	for name := range strings.SplitSeq(arg, separator) {
		if name = strings.TrimSpace(name); name != "" {
			list = append(list, name)
		}
	}
	if len(list) == before {
		return nil, errEmpty
	}
	return list, nil
}

var states = inputKind{"state", "states", ".shard",
	func(path string) (io.Closer, error) { return report.OpenShard(path) }}

func (e *env) merge(ctx context.Context, o *mergeFlags, args []string) error {
	list, err := e.expand(args, o.expandFlags, states)
	if err != nil {
		return err
	}
	if err := o.checkTargets(paths(list)); err != nil {
		return outputError(err)
	}
	if o.Shard = o.writes("shard"); o.Shard && o.on {
		return usageError("-f shard excludes --redact: a state has names as they are").withHint("redact the report that is made of all states")
	}
	o.details = o.details || o.sections != nil
	started := time.Now()
	o.Tool, o.Now = tool(), now()
	r, err := report.Merge(ctx, sourcesOf(list, e.stateSource), o.Options)
	if mismatch, ok := errors.AsType[*report.MismatchError](err); ok {
		return (&exitError{code: exitUsage,
			err: mismatch}).withHint("scan all snapshots with the same flags and configuration")
	}
	bad, err := failuresOf(err)
	if err != nil {
		return err
	}
	if bad.unread == len(r.Inputs) && !o.onlyStates() {
		return bad.end(e, len(r.Inputs))
	}
	if o.Cluster != nil && r.Cluster == nil {
		return errNoSlots
	}
	if b := r.Bounds; b != nil && b.Repeated > 0 {
		var names []message.Message
		for _, n := range b.RepeatedIn {
			names = append(names, message.New("{file}", message.Path("file", string(n))))
		}
		e.warn(message.New("several files, such as {names}, have {count} in common: all sums count these keys twice",
			message.List("names", ", ", names),
			message.Number("count", int64(b.Repeated), "1 snapshot", "{n} snapshots")))
	}
	if by := o.redactor(); by != nil {
		r = r.Redacted(by)
	}
	o.nameStates(r)
	if err := report.WriteAll(o.targets, e.stdout, paths(list), r,
		o.reportFlags.writeOptions(e, r, started)); err != nil && !closedPipe(err) {
		bad.complain(e)
		return outputError(err)
	}
	if err := bad.end(e, len(r.Inputs)); err != nil {
		return err
	}
	return verdict(r, o.FailOn)
}

var errNamesStay = usageError("-f shard excludes --redact: a state has names as they are").
	withHint("rdblens merge --redact replaces them")

var errNoSlots = usageError("the states do not have the slots of the keys, which " +
	"--cluster-nodes takes").withHint("scan the snapshots with --cluster")

func (e *env) stateSource(in *input) report.Source {
	return report.Source{Name: in.name, Size: in.size,
		Open: func(ctx context.Context) (io.ReadCloser, error) { return in.openState(ctx, e) }}
}

func (in *input) openState(ctx context.Context, e *env) (io.ReadCloser, error) {
	switch {
	case in.failed != nil:
		return nil, in.failed
	case in.path == "-":
		if in.state == nil { // it is read twice
			var err error
			if in.state, err = io.ReadAll(io.LimitReader(newPump(ctx, func() (io.Reader, error) { return e.stdin, nil }),
				report.MaxShard+1)); err != nil {
				return nil, err
			}
		}
		return io.NopCloser(bytes.NewReader(in.state)), nil
	case isURL(in.path) && !exists(in.path):
		return newDownload(ctx, in.path, in.limit)
	}
	return os.Open(in.path)
}
