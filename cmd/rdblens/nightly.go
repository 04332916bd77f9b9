package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report"
	"github.com/rdblens/rdblens/report/codebase"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/config"
)

// nightlyFlags are the flags of nightly.
type nightlyFlags struct {
	passFlags
	code         sourceFlags
	dir          string
	job          string
	ofRun        string   // of states, "" any
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
findings that were not there before. What goes on is reported once, and again every
--remind. In place of snapshots it takes the states that scan -f shard=DIR/ saved, on
any machine: one of each snapshot, judged by the configuration of the scans.

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
				return usageError("--dir: no directory given").withHint("write {code}",
					message.Code("code", "--dir /var/lib/rdblens"))
			}
			return e.nightly(cmd.Context(), &o, args)
		},
	}
	o.passFlags.register(cmd)
	o.code.register(cmd)
	option{name: "dir", arg: "DIR", usage: "reports, and what is known of the snapshots", set: textOf(&o.dir)}.add(cmd)
	option{name: "job", arg: "NAME", usage: "label of the metrics and name in the message (default the name of DIR)", set: textOf(&o.job)}.add(cmd)
	option{name: "run", arg: "ID", usage: "of states, those that scan --run ID saved", hint: "write {names}", names: "2026-03-01", set: textOf(&o.ofRun)}.add(cmd)
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
	option{name: "fail-on", arg: "SEVERITY", value: "warning", usage: "tell findings of this severity or above: {list}", list: strings.Join(severities, ", "),
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
				exit := usageError("{origin}: notify: {problem}", message.Phrase("origin", to.Origin.Message()),
					message.Phrase("problem", message.Of(err)))
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
	now    time.Time
	run    string // name of its directory: 2026-11-23T033000Z
	part   string // directory that the run fills, renamed to run when it is whole
	state  *nightState
	next   *nightState
	nights []report.Night
	states []report.Source // what the scans gathered, for the report of all
	finder *codebase.Finder
	fleet  *report.Report
	worst  int // exit code
	// ofStates is true if states are given in place of snapshots.
	ofStates bool
	printed  bytes.Buffer
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
	if n.finder, err = e.finder(&o.code, n.policy); err != nil {
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
	list, err := n.given(ctx, args)
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
			n.complain(message.Errorf("the message did not reach {name}: {reason}",
				message.Code("name", notifyName(to)), message.Reason("reason", err)), message.Message{})
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

// mergeAll makes the report and the page of all inputs.
func (n *night) mergeAll(ctx context.Context) error {
	r, err := report.Merge(ctx, n.states, report.Options{Tool: tool(), Top: 20, FailOn: n.severity, Source: n.finder})
	var failed report.ScanError
	if err != nil && !errors.As(err, &failed) {
		return err
	}
	n.fleet = r
	write := report.WriteOptions{Language: n.language, Now: n.now, Command: n.commandLine()}
	targets := []report.Target{{Format: "json", Path: filepath.Join(n.part, "report.json")},
		{Format: "html", Path: filepath.Join(n.part, "report.html")}}
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
	if n.ofStates {                   // the scans judge
		return nil
	}
	settings, err := n.settings()
	for name, in := range n.next.Inputs {
		in.Settings = settings
		n.next.Inputs[name] = in
	}
	return err
}
