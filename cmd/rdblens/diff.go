package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/spf13/cobra"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/naming"
)

type diffFlags struct {
	passFlags
	outputFlags
	redactFlags
	source sourceFlags
	report.CompareOptions
	failOnNew    thresholds.Severity
	growth, loss []changeLimit
}

func newDiff(e *env) *cobra.Command {
	var o diffFlags
	cmd := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Compare two snapshots or reports: what is new, gone or grown",
		Args:  exactly(2, "two snapshots or reports"),
		RunE:  func(cmd *cobra.Command, args []string) error { return e.diff(cmd.Context(), &o, args) },
	}
	o.passFlags.register(cmd)
	o.redactFlags.register(e, cmd)
	o.source.register(cmd)
	o.outputFlags.register(cmd, report.DiffFormatNames())
	option{name: "min-change", arg: "PERCENT,SIZE", value: "5%,1MB",
		usage: "least change that counts, of both: the default size is 1 % of the keys' memory if that is less",
		hint:  "write {names}", names: "5%, 1MB or 5%,1MB", set: eachWord(func(word string) error {
			l, err := thresholds.ParseChange(word)
			if l.Bytes > 0 {
				o.MinBytes = l.Bytes
			} else {
				o.MinShare = l.Share
			}
			return err
		})}.add(cmd)
	failOnOption("fail-on-new", &o.failOnNew, "never",
		"exit with code 1 on findings of this severity or above that are new or severer than before: {list}").add(cmd)
	for _, f := range []struct {
		name, usage string
		to          *[]changeLimit
	}{{"fail-on-growth", "exit with code 1 if all keys, or a group that matches the glob, grew by this or more: 1GB, " +
		"'session:*:20%'; can be repeated", &o.growth},
		{"fail-on-shrink", "exit with code 1 if all keys, or a group that matches the glob, lost this or more: 30%; can " +
			"be repeated", &o.loss}} {
		examples := "20%, 1GB or 'session:*:20%'"
		changeOption(f.name, f.usage, examples, func(group string, l thresholds.ChangeLimit) (err error) {
			arg := l.Text
			if group != "" {
				l.Group, err = naming.ParseGlob(group)
				arg = group + ":" + arg
			}
			*f.to = append(*f.to, changeLimit{l, arg})
			return err
		}).add(cmd)
	}
	return cmd
}

// changeLimit is a change that a flag allows less than, as it was written.
type changeLimit struct {
	thresholds.ChangeLimit
	arg string
}

// changeOption is a flag of limits for changes. The group may have colons.
func changeOption(name, usage, examples string, set func(group string, l thresholds.ChangeLimit) error) option {
	return option{name: name, arg: "[GROUP:]CHANGE", usage: usage, hint: "write {names}", names: examples,
		set: func(arg string) error {
			i := strings.LastIndexByte(arg, ':')
			l, err := thresholds.ParseChange(arg[i+1:])
			if err != nil {
				return err
			}
			return set(arg[:max(i, 0)], l)
		}}
}

// exceeded returns how all keys or the groups of a limit exceed it. direction is 1 for
// growth and -1 for loss.
func (l *changeLimit) exceeded(d *report.Diff, direction int64) (list []message.Message) {
	for _, r := range d.Exceeded(&l.ChangeLimit, direction) {
		what := message.Word("what", "all keys")
		if r.Group != nil {
			what = message.Name("what", string(*r.Group))
		}
		before, after := d.Size(r)
		list = append(list, message.New("{what}: {before} -> {after}, {n} -> {keys}", what, message.Size("before", before),
			message.Size("after", after),
			message.Int("n", r.KeysBefore), countOfKeys(r.KeysAfter)))
	}
	return list
}

func (e *env) diff(ctx context.Context, o *diffFlags, args []string) error {
	if err := o.load(ctx, e); err != nil {
		return err
	}
	x := &expander{env: e, expandFlags: o.expandFlags}
	for _, arg := range args {
		if err := x.add("", arg, nil); err != nil {
			return err
		}
	}
	if err := report.CheckTargets(o.targets, args); err != nil {
		return outputError(err)
	}
	started := time.Now()
	var sides [2]report.CompareInput
	var scanned []*input
	for i, in := range x.list {
		saved, err := e.savedReport(in)
		if err != nil {
			return &exitError{code: exitUsage, err: inputError(in.name, message.Of(err))}
		}
		if sides[i].Saved = saved; saved == nil {
			sides[i].Source = e.source(in)
			scanned = append(scanned, in)
		}
	}
	if err := o.checkNames(sides, args); err != nil {
		return err
	}
	finder, err := e.finder(&o.source, o.policy)
	if err != nil {
		return err
	}
	stop := e.progress(scanned)
	options := o.options(report.Options{Source: finder})
	d, err := report.Compare(ctx, sides[0], sides[1], o.policy, options, o.CompareOptions)
	stop()
	bad, err := failuresOf(err)
	if err != nil {
		return err
	}
	if d == nil {
		bad.complain(e)
		return &exitError{code: exitUsage}
	}
	write := o.writeOptions(e, started)
	shown := d
	if by := o.redactor(); by != nil {
		shown, write.Command = d.Redacted(by), ""
	}
	if err := report.WriteAll(o.targets, e.stdout, args, shown, write); err != nil && !closedPipe(err) {
		bad.complain(e)
		return outputError(err)
	}
	if err := bad.end(e, 2); err != nil {
		return err
	}
	if !d.Complete {
		return &exitError{code: exitPartial} // a saved report
	}
	return o.verdict(d)
}

// checkNames checks that the names of both sides can be compared: those of a saved
// report may be hashes.
func (o *diffFlags) checkNames(sides [2]report.CompareInput, args []string) error {
	var salts [2]string
	for i, side := range sides {
		switch saved := side.Saved; {
		case saved == nil:
		case o.on:
			return usageError("{file}: --redact replaces the names of snapshots, not of saved reports",
				message.Path("file", args[i])).withHint("scan --redact saves a report without names")
		case saved.Redaction != nil:
			if salts[i] = saved.Redaction.Salt; salts[i] == "" {
				return usageError("{file}: its names are hashes with a random salt: no other report has the same",
					message.Path("file", args[i])).withHint("scan --redact-salt SALT")
			}
		}
	}
	if salts[0] != salts[1] {
		return usageError("names of one of the two are hashes that the other " +
			"does not have").withHint("compare reports that scan --redact-salt saved with the same salt")
	}
	return nil
}

func (o *diffFlags) verdict(d *report.Diff) error {
	var failed []message.Message
	n := int64(0)
	for _, f := range d.Findings.New {
		if severity, _ := thresholds.ParseSeverity(f.Severity); o.failOnNew != thresholds.Off && severity >= o.failOnNew {
			n++
		}
	}
	if n > 0 {
		failed = append(failed, message.New("{findings} at or above {code}",
			message.Number("findings", n, "1 new finding", "{n} new findings"),
			message.Code("code", "--fail-on-new "+o.failOnNew.String())))
	}
	for _, f := range []struct {
		flag      string
		limits    []changeLimit
		direction int64
	}{{"--fail-on-growth", o.growth, 1}, {"--fail-on-shrink", o.loss, -1}} {
		for i := range f.limits {
			if by := f.limits[i].exceeded(d, f.direction); by != nil {
				id := "{code} {name}: {text}"
				if o.on {
					id = "{code}: {text}"
				}
				failed = append(failed, message.New(id, message.Code("code", f.flag), message.Text("name", f.limits[i].arg),
					message.List("text", ", ", by)))
			}
		}
	}
	if failed == nil {
		return nil
	}
	return &exitError{code: exitFindings, err: message.Errorf("{list}", message.List("list", "; ", failed))}
}

// savedReport reads a JSON report, plain or compressed by gzip or zstd. It returns nil
// for anything else. Standard input and pipes can only be recognized as plain JSON.
func (e *env) savedReport(in *input) (*report.Report, error) {
	if in.path == "-" {
		b := bufio.NewReader(e.stdin)
		e.stdin = b
		if !isJSON(b) {
			return nil, nil
		}
		return report.Read(b)
	}
	if st, err := os.Stat(in.path); err != nil || !st.Mode().IsRegular() {
		return nil, nil // reported when it is opened
	}
	f, err := os.Open(in.path)
	if err != nil {
		return nil, nil
	}
	defer f.Close()
	b := bufio.NewReader(f)
	magic, _ := b.Peek(4)
	var r io.Reader
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		r, err = gzip.NewReader(b)
	case bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		var z *zstd.Decoder
		if z, err = zstd.NewReader(b, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(128<<20)); err == nil {
			defer z.Close()
			r = z
		}
	default:
		r = b
	}
	if err != nil {
		return nil, nil
	}
	if b = bufio.NewReader(r); !isJSON(b) {
		return nil, nil
	}
	return report.Read(b)
}

func isJSON(b *bufio.Reader) bool {
	start, _ := b.Peek(64)
	return bytes.HasPrefix(bytes.TrimSpace(start), []byte("{"))
}
