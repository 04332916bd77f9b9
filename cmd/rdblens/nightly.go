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
	"github.com/rdblens/rdblens/report/text"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/config"
	"github.com/rdblens/rdblens/thresholds/naming"
)

type nightlyFlags struct {
	passFlags
	redactFlags
	nodes              *report.ClusterNodes
	thresholds.Nightly // what flags set; configured adds the rest
	code               sourceFlags
	dir                string
	job                string
	ofRun              string   // of states, "" any
	replicas           []string // options of redis-cli
	targets            []report.Target
	accept             bool
	severity           thresholds.Severity
}

func newNightly(e *env) *cobra.Command {
	var o nightlyFlags
	cmd := &cobra.Command{
		Use:   "nightly --dir DIR SNAPSHOT...",
		Short: "Scan every night, and tell only what happened since the last one",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args)+len(o.replicas) == 0 {
				return atLeastOneFile(cmd, args)
			}
			if o.dir == "" {
				return usageError("--dir: no directory given").withHint("write {code}",
					message.Code("code", "--dir /var/lib/rdblens"))
			}
			return e.nightly(cmd.Context(), &o, args)
		},
	}
	o.passFlags.register(cmd)
	o.redactFlags.register(e, cmd)
	nodesOption(cmd, &o.nodes).add(cmd)
	o.code.register(cmd)
	option{name: "dir", arg: "DIR", usage: "reports, and what is known of the snapshots", set: textOf(&o.dir)}.add(cmd)
	option{name: "job", arg: "NAME", usage: "label of the metrics and name in the message (default the name of DIR)",
		set: textOf(&o.job)}.add(cmd)
	option{name: "baseline", arg: "FILE", usage: "accepted findings, which --accept renews (default accepted.yaml in DIR)",
		set: textOf(&o.baseline)}.add(cmd)
	runOption(&o.ofRun, "of states, those that scan --run ID saved; today is the day in UTC").add(cmd)
	option{name: "format", short: "f", arg: "FORMAT=FILE",
		usage: "write the report of all snapshots of the night in this format, too, whatever happened; can be repeated",
		words: report.FormatNames(), hint: "write {names}", names: "html=/srv/www/redis.html", set: o.addTarget}.add(cmd)
	option{name: "replica", arg: "OPTIONS", usage: "options of redis-cli, with which it fetches a snapshot from a " +
		"replica, such as '-h replica1'; can be repeated",
		hint: "a password is seen in ps: set REDISCLI_AUTH", set: o.addReplica}.add(cmd)
	option{name: "metrics", arg: "FILE", usage: "metrics for node_exporter's textfile collector, whatever the exit code",
		set: textOf(&o.Metrics.Value)}.add(cmd)
	option{name: "notify", arg: "TO", usage: "where the message goes: mail=ADDRESS, slack=FILE, teams=FILE, " +
		"feishu=FILE, dingtalk=FILE or wecom=FILE with the URL of a webhook in FILE, or a command that reads it; can " +
		"be repeated",
		set: func(arg string) error {
			o.Notify = append(o.Notify, thresholds.Text{Value: arg})
			return checkNotify(arg)
		}}.add(cmd)
	amount := func(to **thresholds.Amount, set func(*int64) func(string) error) func(string) error {
		return func(arg string) error {
			*to = &thresholds.Amount{}
			return set(&(*to).Number)(arg)
		}
	}
	count := func(to *int64) func(string) error { return wholeNumber(to, 0, math.MaxInt) }
	option{name: "keep", arg: "DAYS", value: "30", usage: "days for which reports are kept, 0: the last ones alone",
		set: amount(&o.Keep, count)}.add(cmd)
	option{name: "remind", arg: "DURATION", value: "7d", usage: "how often to tell again what goes on, or off",
		hint: "write {names}", names: "7d, 24h or off", set: func(arg string) error {
			if arg == "off" {
				o.Remind = &thresholds.Amount{Number: -1}
				return nil
			}
			return amount(&o.Remind, durationOf)(arg)
		}}.add(cmd)
	cmd.Flags().BoolVar(&o.accept, "accept", false, "accept the findings and the snapshots of this night")
	for _, f := range []struct {
		name, usage string
		to          *[]thresholds.ChangeLimit
	}{{"shrink", "tell if all keys of a snapshot, a group that matches the glob, or all snapshots together lost this or " +
		"more: 10%, 'flat:*:5%', all:10%; can be repeated (default 30% of all keys)", &o.Shrink},
		{"grow", "tell if all keys of a snapshot, a group that matches the glob, or all snapshots together grew by this or " +
			"more: 1GB, 'session:*:20%', all:20%; can be repeated", &o.Grow}} {
		examples := "20%, 1GB, 'session:*:20%' or all:20%"
		changeOption(f.name, f.usage, examples, func(group string, l thresholds.ChangeLimit) error {
			err := l.Of(group)
			*f.to = append(*f.to, l)
			return err
		}).add(cmd)
	}
	o.severity = thresholds.Warning
	failOnOption("fail-on", &o.severity, "warning", "tell findings of this severity or above: {list}").add(cmd)
	option{name: "max-age", arg: "DURATION", usage: "tell if a snapshot is older than this, by its own time",
		hint: "write {names}", names: "26h or 2d", set: amount(&o.MaxAge, durationOf)}.add(cmd)
	option{name: "min-keys", arg: "N", usage: "tell if a snapshot has fewer keys", hint: "write {names}", names: "100000",
		set: amount(&o.MinKeys, count)}.add(cmd)
	return cmd
}

func (o *nightlyFlags) addTarget(arg string) error {
	list, err := report.ParseTargets([]string{arg})
	if err == nil && (list[0].Path == "" || list[0].Path == "-") {
		err = message.Errorf("{name} names no file: standard output is for the message", message.Element("name", arg))
	}
	o.targets = append(o.targets, list...)
	return err
}

func (o *nightlyFlags) addReplica(arg string) error {
	for word := range strings.FieldsSeq(arg) {
		if word == "-a" || word == "--pass" || word == "-u" {
			return message.Errorf("{name} is seen in ps and in the report", message.Code("name", word))
		}
	}
	o.replicas = append(o.replicas, arg)
	return textOf(new(string))(arg)
}

// configured adds the settings of a configuration. Flags take precedence, each as a whole.
func (o *nightlyFlags) configured(c thresholds.Nightly) error {
	flags := o.Nightly
	o.NightlyLimits = c.With(flags.NightlyLimits)
	every, _ := naming.ParseGlob("*") // valid
	o.Inputs = append(slices.Clip(c.Inputs), thresholds.NightlyInput{Name: every, NightlyLimits: flags.NightlyLimits})
	o.Keep = cmp.Or(flags.Keep, c.Keep, &thresholds.Amount{Number: 30})
	o.Remind = cmp.Or(flags.Remind, c.Remind, &thresholds.Amount{Number: 7 * 24 * 60 * 60})
	o.Metrics.Value = cmp.Or(flags.Metrics.Value, c.Metrics.Value)
	if flags.Notify != nil {
		return nil
	}
	o.Notify = c.Notify
	for _, to := range c.Notify {
		if err := checkNotify(to.Value); err != nil {
			exit := usageError("{origin}: notify: {problem}", message.Phrase("origin", to.Origin.Message()),
				message.Phrase("problem", message.Of(err)))
			exit.hint = hintOf(err)
			return exit
		}
	}
	return nil
}

type night struct {
	*env
	*nightlyFlags
	now      time.Time
	run      string // name of its directory: 2026-11-23T033000Z
	part     string // directory that the run fills, renamed to run when it is whole
	state    *nightState
	next     *nightState
	nights   []report.Night
	states   []report.Source // what the scans gathered, for the report of all
	finder   *report.SourceFinder
	fleet    *report.Report
	shown    *report.Report   // fleet, without names if those are redacted
	failed   report.ScanError // of fleet
	worst    int              // exit code
	accepted string           // path of the baseline, which may not exist
	ofStates bool             // states are given in place of snapshots
	printed  bytes.Buffer
}

func (e *env) nightly(ctx context.Context, o *nightlyFlags, args []string) (err error) {
	n := &night{env: e, nightlyFlags: o, now: now().UTC()}
	n.job = cmp.Or(n.job, filepath.Base(filepath.Clean(n.dir)))
	defer func() { err = n.writeMetrics(err) }()
	var unlock func()
	if err = os.MkdirAll(n.dir, 0o750); err == nil {
		unlock, err = lockDir(n.dir)
	}
	if err == nil {
		n.state, err = readNightState(n.dir)
	}
	if err != nil {
		return &exitError{code: exitUsage, err: inputError(n.dir, message.Of(reasonOf(err)))}
	}
	defer unlock()
	n.accepted = cmp.Or(o.baseline, n.path(acceptedFile))
	if o.accept || o.baseline == "" && !exists(n.accepted) {
		o.baseline = ""
	} else {
		o.baseline = n.accepted
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
	n.run = n.now.Format(runForm)
	for i := 2; exists(n.path(reportsDir, n.run)); i++ {
		n.run = fmt.Sprintf("%s-%d", n.now.Format(runForm), i)
	}
	n.part = n.path(reportsDir, ".part-"+n.run)
	left, _ := filepath.Glob(n.path(reportsDir, ".part-*")) // of interrupted runs
	for _, path := range left {
		os.RemoveAll(path)
	}
	if err := os.MkdirAll(filepath.Join(n.part, inputsDir), 0o750); err != nil {
		return &exitError{code: exitUsage, err: inputError(n.part, message.Of(reasonOf(err)))}
	}
	defer os.RemoveAll(n.part)
	list, err := n.given(ctx, args)
	if err != nil {
		return err
	}
	if err := report.CheckTargets(n.targets, paths(list)); err != nil {
		return outputError(err)
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
		n.next.Unsent, n.next.UnsentTo = n.printed.String(), []string{""}
		for _, to := range n.Notify {
			n.next.UnsentTo = append(n.next.UnsentTo, to.Value)
		}
	}
	if err := n.next.write(n.dir); err != nil {
		return outputError(err)
	}
	n.removeOld()
	if err := n.deliver(ctx, n.next); err != nil {
		return err
	}
	if n.worst == exitDone {
		return nil
	}
	return &exitError{code: n.worst}
}

// deliver sends the message of a state, and keeps in the state whom it did not reach. An
// interrupted run sends it twice rather than never.
func (n *night) deliver(ctx context.Context, s *nightState) error {
	if len(s.UnsentTo) == 0 {
		return nil
	}
	s.UnsentTo = slices.DeleteFunc(s.UnsentTo, func(to string) bool {
		if to == "" {
			shown := s.Unsent
			if width := terminalWidth(n.stdout); width > 0 {
				shown = ""
				for line := range strings.Lines(s.Unsent) {
					if !strings.HasPrefix(line, " ") { // else a command
						line = text.Wrap("", "         ", strings.TrimSuffix(line, "\n"), width)
					}
					shown += line
				}
			}
			_, err := io.WriteString(n.stdout, shown)
			return err == nil || closedPipe(err)
		}
		if !slices.ContainsFunc(n.Notify, func(t thresholds.Text) bool { return t.Value == to }) {
			return true // no longer asked for
		}
		err := n.send(ctx, to, s.Unsent)
		if err != nil {
			n.complain(message.Errorf("the message did not reach {name}: {reason}",
				message.Code("name", strings.Fields(to)[0]), message.Reason("reason", err)), message.Message{})
			n.worst = max(n.worst, exitUsage)
		}
		return err == nil
	})
	if len(s.UnsentTo) == 0 {
		s.Unsent = ""
	}
	return outputError(s.write(n.dir))
}

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

func (n *night) mergeAll(ctx context.Context) error {
	shard := slices.ContainsFunc(n.targets, func(t report.Target) bool { return t.Format == "shard" })
	if shard && n.on {
		return errNamesStay
	}
	r, err := report.Merge(ctx, n.states, report.Options{Tool: tool(), FailOn: n.severity, Source: n.finder,
		Cluster: n.nodes, Shard: shard})
	if err != nil && !errors.As(err, &n.failed) {
		return err
	}
	if n.nodes != nil && r.Cluster == nil && r.Totals.Keys > 0 {
		return errNoSlots
	}
	n.fleet, n.shown = r, r
	write := report.WriteOptions{Language: n.language, Now: n.now, Command: n.commandLine()}
	if by := n.redactor(); by != nil {
		n.shown, write.Command = r.Redacted(by), ""
	}
	targets := append([]report.Target{{Format: "json", Path: filepath.Join(n.part, "report.json")},
		{Format: "html", Path: filepath.Join(n.part, "report.html")}}, n.targets...)
	for _, s := range n.states {
		os.Remove(s.Name)
	}
	return outputError(report.WriteAll(targets, n.stdout, nil, n.shown, write))
}

// acceptAll makes the findings and the inputs of this night those that are known.
func (n *night) acceptAll() error {
	list := n.fleet.Accept(report.Acceptance{By: os.Getenv("USER"), Reason: n.t("accepted when the baseline was made")})
	if err := writeFile(n.accepted, config.WriteBaseline(list)); err != nil {
		return outputError(err)
	}
	for i := range n.nights {
		in := &n.nights[i]
		if in.Gone {
			delete(n.next.Inputs, in.Name)
		}
		if in.Now != nil {
			in.Now.Findings = report.Counts{} // in the metrics
		}
	}
	n.next.Open, n.worst = nil, exitDone
	n.baseline = n.accepted // what judges the next night
	if n.ofStates {         // the scans judge
		return nil
	}
	settings, err := n.settings()
	for name, in := range n.next.Inputs {
		in.Settings = settings
		n.next.Inputs[name] = in
	}
	return err
}
