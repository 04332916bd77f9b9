package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/config"
)

// nightlyFlags are the flags of nightly.
type nightlyFlags struct {
	passFlags
	dir          string
	job          string
	replicas     []string // options of redis-cli
	metrics      string
	notify       []string
	keep         int   // days
	remind       int64 // seconds
	accept       bool
	shrink, grow []thresholds.ChangeLimit
	severity     thresholds.Severity
}

func newNightly(e *env) *cobra.Command {
	var o nightlyFlags
	cmd := &cobra.Command{
		Use:   "nightly --dir DIR SNAPSHOT...",
		Short: "Scan snapshots every night, and tell only what happened since the last one",
		Long: `nightly scans each snapshot, compares it with its last complete report, by name, and
prints one message about what happened; it prints nothing if nothing happened. It
names snapshots that are missing, cannot be read, are older than before or taken in
the future, have the data of another one, lost or gained more than a limit, and
findings that were not there before. What goes on is told once, and again every
--remind.

DIR has all that nightly writes: a report and a page for each night, a report for
each snapshot, and what is known of each snapshot. A night that is interrupted
leaves DIR as it was. The first night only takes stock. --accept makes a baseline of
all findings, takes the snapshots that are given for all there are, and is silent
about both from then on.

Exit codes: 0 nothing happened; 1 something did; 2 usage error, or no snapshot could
be read; 3 a snapshot is missing, damaged or could not be read.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args)+len(o.replicas) == 0 {
				return atLeastOneFile(cmd, args)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.dir == "" {
				return usageError("--dir: no directory given").withHint("write {code}", message.Code("code", "--dir /var/lib/rdblens"))
			}
			return e.nightly(cmd.Context(), &o, args)
		},
	}
	o.passFlags.register(cmd)
	option{name: "dir", arg: "DIR", usage: "reports, and what is known of the snapshots", set: textOf(&o.dir)}.add(cmd)
	option{name: "job", arg: "NAME", usage: "label of the metrics and name in the message (default the name of DIR)", set: textOf(&o.job)}.add(cmd)
	option{name: "replica", arg: "OPTIONS", usage: "options of redis-cli, with which it fetches a snapshot from a replica, such as '-h replica1'; can be repeated", set: func(arg string) error {
		o.replicas = append(o.replicas, arg)
		return textOf(new(string))(arg)
	}}.add(cmd)
	option{name: "metrics", arg: "FILE", usage: "metrics for node_exporter's textfile collector, whatever the exit code", set: textOf(&o.metrics)}.add(cmd)
	option{name: "notify", arg: "TO", usage: "where the message goes: mail=ADDRESS, slack=FILE, teams=FILE, feishu=FILE, dingtalk=FILE or wecom=FILE with the URL of a webhook in FILE, or a command that reads it; can be repeated",
		set: func(arg string) error {
			o.notify = append(o.notify, arg)
			return checkNotify(arg)
		}}.add(cmd)
	o.keep, o.remind, o.severity = 30, 7*24*60*60, thresholds.Warning
	option{name: "keep", arg: "DAYS", value: "30", usage: "days for which reports are kept, 0: the last ones alone", set: wholeNumber(&o.keep, 0, math.MaxInt32)}.add(cmd)
	option{name: "remind", arg: "DURATION", value: "7d", usage: "how often to tell again what goes on, or off", hint: "write {names}", names: "7d, 24h or off", set: func(arg string) error {
		if arg == "off" {
			o.remind = never
			return nil
		}
		return durationOf(&o.remind)(arg)
	}}.add(cmd)
	cmd.Flags().BoolVar(&o.accept, "accept", false, "accept the findings and the snapshots of this night")
	for _, f := range []struct {
		name, usage string
		to          *[]thresholds.ChangeLimit
	}{{"shrink", "tell if all keys of a snapshot, a group that matches the glob, or all snapshots together lost this or more: 10%, 'flat:*:5%', all:10%; can be repeated (default 30% of all keys)", &o.shrink},
		{"grow", "tell if all keys of a snapshot, a group that matches the glob, or all snapshots together grew by this or more: 1GB, 'session:*:20%', all:20%; can be repeated", &o.grow}} {
		option{name: f.name, arg: "[GROUP:]CHANGE", usage: f.usage, hint: "write {names}", names: "20%, 1GB, 'session:*:20%' or all:20%", set: func(arg string) error {
			group, l, err := parseChangeLimit(arg)
			if err == nil {
				err = l.Of(group)
			}
			*f.to = append(*f.to, l)
			return err
		}}.add(cmd)
	}
	severities := []string{"error", "warning", "info", "never"}
	option{name: "fail-on", arg: "SEVERITY", value: "warning", usage: "tell findings of this severity or above: " + strings.Join(severities, ", "),
		words: severities, set: severityOf(&o.severity)}.add(cmd)
	o.limitOption("max-age", "DURATION", "a snapshot older than this, by its own time, is an error (rule max-age)", "26h or 2d").add(cmd)
	o.limitOption("min-keys", "N", "a snapshot with fewer keys is an error (rule min-keys)", "100000").add(cmd)
	return cmd
}

// never is the interval of reminders that never come: some 290 years.
const never = math.MaxInt64 / int64(time.Second)

// configured takes the settings of a configuration that no flag sets.
func (o *nightlyFlags) configured(c thresholds.Nightly) error {
	set := func(flag string, isSet bool) bool { return isSet && !o.given.Changed(flag) }
	if set("shrink", c.Shrink != nil) {
		o.shrink = c.Shrink
	}
	if set("grow", c.Grow != nil) {
		o.grow = c.Grow
	}
	if set("keep", c.Keep != nil) {
		o.keep = int(c.Keep.Number)
	}
	if set("remind", c.Remind != nil) {
		if o.remind = c.Remind.Number; o.remind < 0 {
			o.remind = never
		}
	}
	if set("metrics", c.Metrics.Value != "") {
		o.metrics = c.Metrics.Value
	}
	if set("notify", c.Notify != nil) {
		o.notify = nil
		for _, to := range c.Notify {
			if err := checkNotify(to.Value); err != nil {
				exit := usageError("{origin}: notify: {problem}", message.Phrase("origin", to.Origin.Message()), message.Phrase("problem", message.Of(err)))
				exit.hint = hintOf(err)
				return exit
			}
			o.notify = append(o.notify, to.Value)
		}
	}
	return nil
}

// night is one run of nightly.
type night struct {
	*env
	*nightlyFlags
	now     time.Time
	run     string // name of its directory: 2026-11-23T033000Z
	part    string // directory that the run fills, renamed to run when it is whole
	state   *nightState
	next    *nightState
	nights  []report.Night
	states  []report.Source // what the scans gathered, for the report of all
	fleet   *report.Report
	worst   int // exit code
	printed bytes.Buffer
}

func (e *env) nightly(ctx context.Context, o *nightlyFlags, args []string) (err error) {
	n := &night{env: e, nightlyFlags: o, now: now().UTC()}
	n.job = cmp.Or(n.job, filepath.Base(filepath.Clean(n.dir)))
	defer func() {
		if failed := n.writeMetrics(err); failed != nil && err == nil {
			err = outputError(failed)
		}
	}()
	if o.config != "" && !exists(o.config) {
		return (&exitError{code: exitUsage, err: inputError(o.config, message.New("no such file"))}).withHint("--config names a file that must exist")
	}
	if err := os.MkdirAll(n.dir, 0o750); err != nil {
		return &exitError{code: exitUsage, err: inputError(n.dir, message.Of(reasonOf(err)))}
	}
	unlock, err := lockDir(n.dir)
	if err != nil {
		return &exitError{code: exitUsage, err: inputError(n.dir, message.Of(err))}
	}
	defer unlock()
	if n.state, err = readNightState(n.dir); err != nil {
		return &exitError{code: exitUsage, err: inputError(n.dir, message.Of(err))}
	}
	o.nightly = true
	if o.baseline == "" && !o.accept && exists(n.path(acceptedFile)) {
		o.baseline = n.path(acceptedFile)
	}
	if err := o.load(ctx, e); err != nil {
		return err
	}
	if err := o.configured(n.policy.Nightly); err != nil {
		return err
	}
	if len(n.state.UnsentTo) > 0 {
		n.worst = exitFindings
		if err := n.deliver(ctx, n.state); err != nil {
			return err
		}
	}
	n.run = n.now.Format("2006-01-02T150405Z")
	for i := 2; exists(n.path(reportsDir, n.run)); i++ {
		n.run = fmt.Sprintf("%s-%d", n.now.Format("2006-01-02T150405Z"), i)
	}
	n.part = n.path(reportsDir, ".part-"+n.run)
	n.removeParts()
	if err := os.MkdirAll(n.part, 0o750); err != nil {
		return &exitError{code: exitUsage, err: inputError(n.part, message.Of(reasonOf(err)))}
	}
	defer os.RemoveAll(n.part)
	list, err := n.inputs(args, o.expandFlags)
	if err != nil {
		return err
	}
	if err := n.scanAll(ctx, append(list, n.fetch(ctx)...)); err != nil {
		return err
	}
	return n.finish(ctx)
}

// finish writes what the night found: the directory of the run first, then the state
// that refers to it, then the message.
func (n *night) finish(ctx context.Context) error {
	if err := n.mergeAll(ctx); err != nil {
		return err
	}
	reports := n.message()
	if n.accept {
		if err := n.acceptAll(); err != nil {
			return err
		}
	}
	if err := os.Rename(n.part, n.path(reportsDir, n.run)); err != nil {
		return &exitError{code: exitUsage, err: inputError(n.dir, message.Of(reasonOf(err)))}
	}
	if reports {
		n.next.Unsent, n.next.UnsentTo = n.printed.String(), append([]string{""}, n.notify...)
	}
	if err := n.next.write(n.dir); err != nil {
		return outputError(err)
	}
	n.removeOld()
	if err := n.deliver(ctx, n.next); err != nil {
		return err
	}
	return n.exit()
}

// deliver sends the message of a state, and keeps in the state whom it did not reach. An
// interrupted run sends it twice rather than never.
func (n *night) deliver(ctx context.Context, s *nightState) error {
	if len(s.UnsentTo) == 0 {
		return nil
	}
	s.UnsentTo = slices.DeleteFunc(s.UnsentTo, func(to string) bool {
		if to == "" {
			_, err := io.WriteString(n.stdout, s.Unsent)
			return err == nil || closedPipe(err)
		}
		if !slices.Contains(n.notify, to) {
			return true // no longer asked for
		}
		err := n.send(ctx, to, s.Unsent)
		if err != nil {
			n.complain(message.Errorf("the message did not reach {name}: {reason}", message.Code("name", notifyName(to)), message.Reason("reason", err)), message.Message{})
			n.worst = max(n.worst, exitUsage)
		}
		return err == nil
	})
	if len(s.UnsentTo) == 0 {
		s.Unsent = ""
	}
	return outputError(s.write(n.dir))
}

func (n *night) exit() error {
	if n.worst == exitDone {
		return nil
	}
	return &exitError{code: n.worst}
}

// path returns a path below the directory.
func (n *night) path(elements ...string) string {
	return filepath.Join(append([]string{n.dir}, elements...)...)
}

// Names below the directory.
const (
	reportsDir   = "reports"
	acceptedFile = "accepted.yaml"
	stateFile    = "state.json"
	inputsDir    = "inputs" // of a run
)

// scanAll scans the inputs and compares each with its last complete report.
func (n *night) scanAll(ctx context.Context, list []*input) error {
	settings, err := n.settings()
	if err != nil {
		return err
	}
	n.next = &nightState{Schema: nightSchema, Run: n.run, Inputs: map[string]nightInput{}}
	if err := os.MkdirAll(filepath.Join(n.part, inputsDir), 0o750); err != nil {
		return &exitError{code: exitUsage, err: err}
	}
	for i, in := range list {
		if err := ctx.Err(); err != nil {
			return &exitError{code: exitPartial, err: message.Errorf("interrupted: nothing of this night is kept")}
		}
		if _, twice := n.next.Inputs[in.name]; twice {
			return usageError("{file} is given twice", message.Path("file", in.name)).withHint("give them labels: LABEL=FILE")
		}
		night, r, err := n.scanOne(ctx, in, fmt.Sprintf("%d", i))
		if err != nil {
			return err
		}
		known := n.state.Inputs[in.name]
		if known.Report != "" {
			if err := n.compare(ctx, night, r, known.Report); err != nil {
				return err
			}
			if night.Last == nil {
				n.warn(message.New("{file}: its last report cannot be read, so nothing is compared", message.Path("file", in.name)))
				known.Settings = settings
			}
		}
		night.Judged = known.Settings == settings
		now := nightInput{Settings: settings, Since: cmp.Or(known.Since, n.run), Report: known.Report}
		if night.Err == nil && night.Now != nil && night.Now.Complete {
			now.Report = n.run + "/" + inputsDir + "/" + fmt.Sprintf("%d.json.zst", i)
		} else {
			now.Settings = cmp.Or(known.Settings, settings)
		}
		n.next.Inputs[in.name] = now
		n.nights = append(n.nights, *night)
	}
	for name, known := range n.state.Inputs {
		if _, given := n.next.Inputs[name]; given || known.Report == "" {
			continue
		}
		gone := report.Night{Name: name, Gone: true, Last: &report.Brief{}}
		if last := n.lastReport(known.Report); last != nil {
			gone.Last = report.NewBrief(last)
		}
		n.nights = append(n.nights, gone)
		n.next.Inputs[name] = known
	}
	slices.SortFunc(n.nights, func(a, b report.Night) int { return strings.Compare(a.Name, b.Name) })
	return n.rename(ctx, settings)
}

// rename compares inputs that had other names with their last reports.
func (n *night) rename(ctx context.Context, settings string) error {
	names := report.Renames(n.nights)
	for i := range n.nights {
		in := &n.nights[i]
		was := names[in.Name]
		if was == "" {
			continue
		}
		now, known := n.next.Inputs[in.Name], n.state.Inputs[was]
		r, err := n.savedReport(&input{path: filepath.Join(n.part, strings.TrimPrefix(filepath.FromSlash(now.Report), n.run)), size: -1})
		if err != nil {
			return err
		}
		if err := n.compare(ctx, in, r, known.Report); err != nil {
			return err
		}
		in.Was, in.Judged = was, known.Settings == settings
		now.Since = known.Since
		n.next.Inputs[in.Name] = now
		delete(n.next.Inputs, was)
	}
	n.nights = slices.DeleteFunc(n.nights, func(in report.Night) bool {
		return in.Gone && slices.Contains(slices.Collect(maps.Values(names)), in.Name)
	})
	return nil
}

// lastReport reads a report of an earlier run, nil if it cannot be read.
func (n *night) lastReport(name string) *report.Report {
	r, err := n.savedReport(&input{path: n.path(reportsDir, filepath.FromSlash(name)), size: -1})
	if err != nil {
		return nil
	}
	return r
}

// compare compares the report of an input, nil if there is none, with an earlier one if
// that can be read and the input was read to its end.
func (n *night) compare(ctx context.Context, in *report.Night, r *report.Report, name string) error {
	last := n.lastReport(name)
	if last == nil {
		return nil
	}
	in.Last = report.NewBrief(last)
	if r == nil || in.Err != nil || !r.Complete {
		return nil
	}
	d, err := report.Compare(ctx, report.CompareInput{Saved: last}, report.CompareInput{Saved: r}, n.policy, n.options(report.Options{}), report.CompareOptions{})
	if err != nil {
		return err
	}
	d.Keys, d.Types = report.DiffKeys{}, nil // a fleet has many
	in.Diff = d
	return nil
}

// scanOne scans one input, and saves its report, which is nil if nothing could be read,
// and its state.
func (n *night) scanOne(ctx context.Context, in *input, file string) (*report.Night, *report.Report, error) {
	night := &report.Night{Name: in.name}
	stop := n.progress([]*input{in})
	r, err := report.Scan(ctx, []report.Source{n.source(in)}, n.policy, n.options(report.Options{Top: nightTop, Shard: true, AllGroups: true, FailOn: n.severity}))
	stop()
	var failed report.ScanError
	if err != nil && !errors.As(err, &failed) {
		return nil, nil, err
	}
	if len(failed) > 0 {
		night.Err = failed[0].Err
	}
	if ctx.Err() != nil {
		return nil, nil, &exitError{code: exitPartial, err: message.Errorf("interrupted: nothing of this night is kept")}
	}
	state := filepath.Join(n.part, inputsDir, file+".shard")
	if err := report.WriteAll([]report.Target{{Format: "shard", Path: state}}, nil, nil, r, report.WriteOptions{}); err != nil {
		return nil, nil, outputError(err)
	}
	n.states = append(n.states, report.Source{Name: state, Size: -1, Open: func(context.Context) (io.ReadCloser, error) { return os.Open(state) }})
	if r.Inputs[0].Format == "" {
		return night, nil, nil
	}
	night.Now = report.NewBrief(r)
	return night, r, n.saveReport(filepath.Join(n.part, inputsDir, file+".json.zst"), r)
}

// nightTop is the number of keys on each list of the largest, by which nights are
// compared.
const nightTop = 100

// mergeAll makes the report and the page of all inputs.
func (n *night) mergeAll(ctx context.Context) error {
	r, err := report.Merge(ctx, n.states, report.Options{Tool: tool(), Top: 20, FailOn: n.severity})
	var failed report.ScanError
	if err != nil && !errors.As(err, &failed) {
		return err
	}
	n.fleet = r
	write := report.WriteOptions{Language: n.language, Now: n.now, Command: n.commandLine()}
	targets := []report.Target{{Format: "json", Path: filepath.Join(n.part, "report.json")}, {Format: "html", Path: filepath.Join(n.part, "report.html")}}
	for _, s := range n.states {
		os.Remove(s.Name)
	}
	return outputError(report.WriteAll(targets, n.stdout, nil, r, write))
}

// acceptAll makes the findings and the inputs of this night those that are known.
func (n *night) acceptAll() error {
	reason := n.t("accepted when the baseline was made")
	list := n.fleet.Accept(report.Acceptance{By: os.Getenv("USER"), Reason: reason})
	if err := writeFile(n.path(acceptedFile), config.WriteBaseline(list)); err != nil {
		return outputError(err)
	}
	for i := range n.nights {
		if in := &n.nights[i]; in.Gone {
			delete(n.next.Inputs, in.Name)
		}
	}
	n.next.Open, n.worst = nil, exitDone
	n.baseline = n.path(acceptedFile) // what judges the next night
	settings, err := n.settings()
	for name, in := range n.next.Inputs {
		in.Settings = settings
		n.next.Inputs[name] = in
	}
	return err
}
