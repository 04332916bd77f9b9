package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/memory"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report"
	"github.com/rdblens/rdblens/thresholds"
)

var measures = []struct{ word, column string }{
	{"memory", report.ByMemory},
	{"usage", report.ByMemoryUsage},
	{"value", report.ByValueBytes},
	{"elements", report.ByElements},
	{"serialized", report.BySerialized},
	{"largest", report.ByLargest},
}

// maxTop bounds the lists of the largest keys, which are kept during the pass.
const maxTop = 1000

// maxTreeNodes bounds the tree of a report: the tree of a scan has no more.
const maxTreeNodes = 50_000

// newestServers is the value of --what-if without one.
const newestServers = "newest"

type scanFlags struct {
	passFlags
	reportFlags
	partsDir string // of --split-by, "" not asked
	segments int    // of the prefixes that --split-by asks for, 0: by owner
	source   sourceFlags
	older    string // of --since, "" none
	// whatIfAlone: --what-if has no value, or the next argument is meant to be.
	whatIfAlone bool
}

type reportFlags struct {
	redactFlags
	report.Options // those that flags set
	outputFlags
	sections []string // of the details, nil is all
	rows     int      // of each part of the screen, 0 as many as fit
	advice   bool
	depth    int // of the prefixes that say where the memory is, 0 not asked
}

func newScan(e *env) *cobra.Command {
	var o scanFlags
	cmd := &cobra.Command{
		Use:   "scan FILE...",
		Short: "Report on snapshots: sizes, big keys, groups, TTLs and rule violations",
		Long:  formatHelp(),
		Args:  atLeastOneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.scan(cmd.Context(), &o, args)
		},
	}
	o.register(e, cmd)
	return cmd
}

func formatHelp() string {
	help := "Formats:\n"
	for _, f := range report.Formats() {
		help += fmt.Sprintf("\n    %-14s %s", f.Name, f.Doc)
	}
	return help
}

func (o *scanFlags) register(e *env, cmd *cobra.Command) {
	o.passFlags.register(cmd)
	o.reportFlags.register(e, cmd, "memory")
	o.source.register(cmd)
	o.Top, o.By = 20, report.ByMemory
	option{name: "top", arg: "N", value: "20", usage: "keys on each list of the largest",
		hint: "rdblens keys lists every key", set: func(arg string) error {
			err := wholeNumber(&o.Top, 0, maxTop)(arg)
			o.rows = o.Top
			return err
		}}.add(cmd)
	runOption(&o.Run, "name the run in the state that -f shard=FILE saves; shard=DIR/ names the file by snapshot, run and time; today is the day in UTC").add(cmd)
	option{name: "split-by", arg: "PART=DIR", usage: "write a report of the keys of each owner (owner=DIR), or of each prefix of N segments (prefix:N=DIR, which reads snapshots twice), " +
		"to this directory, in every format of -f, and an index README.md",
		hint: "write {names}", names: "owner=reports or prefix:2=reports", set: o.setParts}.add(cmd)
	baselineOption(&o.baseline).add(cmd)
	option{name: "since", arg: "OLD", usage: "older snapshot or saved report of the same server: the page, the ticket and the details show what has grown since",
		hint: "rdblens scan --since monday.rdb tuesday.rdb -f html=report.html", set: textOf(&o.older)}.add(cmd)
	o.limitOption("max-age", "DURATION", "a snapshot older than this, by its own time, is an error and sets exit code 1 (rule max-age)", "26h or 2d").add(cmd)
	o.limitOption("min-keys", "N", "a snapshot with fewer keys is an error and sets exit code 1 (rule min-keys)", "100000").add(cmd)
	option{name: "what-if", arg: "SERVERS", usage: "predict used_memory of these servers, too, such as redis-8.0,valkey-8.1 (alone: the newest Redis and Valkey); each costs another pass",
		words: memory.Servers(), hint: "servers: {names}", set: func(arg string) error {
			if o.WhatIf, o.whatIfAlone = nil, arg == newestServers; o.whatIfAlone {
				o.WhatIf = report.NewestServers()
				return nil
			}
			if o.WhatIf = serverWords(arg); len(o.WhatIf) == 0 {
				return errEmpty
			}
			for _, word := range o.WhatIf {
				if !isModel(word) {
					return message.Errorf("unknown server {name}", message.Element("name", word))
				}
			}
			return nil
		}}.add(cmd)
	cmd.Flags().Lookup("what-if").NoOptDefVal = newestServers
	option{name: "target", arg: "SERVER", usage: "report whether this server loads the snapshots, such as redis-7.2, valkey-9.1 or keydb, and what their keys take there; see --fail-on",
		words: report.TargetServers(), hint: "servers: {names}", set: func(arg string) (err error) {
			o.Target, err = report.ParseTargetServer(arg)
			return err
		}}.add(cmd)
	option{name: "over", arg: "LIST", usage: "only keys with a finding of these rules, such as big-string,no-ttl or key-*",
		words: selectors(), set: func(arg string) (err error) {
			if arg == "" {
				return errEmpty
			}
			o.Options.Over, err = keyRules(arg)
			o.filter.Over = strings.Split(arg, ",")
			return err
		}}.add(cmd)
	option{name: "info", arg: "FILE", usage: "output of INFO, MEMORY STATS, MEMORY MALLOC-STATS and CONFIG GET of the server: say where its used_memory went; can be repeated",
		hint: "redis-cli INFO > info.txt", set: o.readInfo}.add(cmd)
	option{name: "maxmemory", arg: "SIZE", usage: "report whether the keys fit into a server of this size, such as 4GB",
		hint: "write {names}", names: "512MB or 4GB", set: sizeOf(&o.MaxMemory, 1)}.add(cmd)
}

// register declares the flags. by is the word of the measure that ranks keys unasked.
func (o *reportFlags) register(e *env, cmd *cobra.Command, by string) {
	o.redactFlags.register(e, cmd)
	var words []string
	for _, m := range measures {
		words = append(words, m.word)
	}
	option{name: "by", arg: "MEASURE", value: by, usage: "measure that ranks the keys shown: {list}", list: strings.Join(words, ", "),
		words: words, hint: "measures: {names}", set: func(arg string) error {
			for _, m := range measures {
				if arg == m.word || arg == m.column {
					o.By = m.column
					return nil
				}
			}
			return message.Errorf("unknown measure {name}", message.Element("name", arg))
		}}.add(cmd)
	orders := strings.Join(report.GroupOrders(), ", ")
	option{name: "sort-groups", arg: "COLUMN", usage: "column that orders the groups: {list}", list: orders,
		words: report.GroupOrders(), hint: "columns: {names}", set: oneOf(&o.GroupOrder, "column", report.GroupOrders())}.add(cmd)
	sections := strings.Join(report.Sections(), ", ")
	option{name: "sections", arg: "LIST", usage: "write only these parts of the report: {list}", list: sections,
		words: report.Sections(), hint: "sections: {names}", set: eachWord(func(word string) error {
			var name string
			err := oneOf(&name, "section", report.Sections())(word)
			o.sections = append(o.sections, name)
			return err
		})}.add(cmd)
	option{name: "tree-nodes", arg: "N", value: strconv.Itoa(report.DefaultTreeNodes),
		usage: "prefixes of names in the tree of JSON, ncdu, pprof and folded, those with most memory",
		set: func(arg string) error {
			if err := wholeNumber(&o.TreeNodes, 0, maxTreeNodes)(arg); err != nil {
				return err
			}
			if o.TreeNodes == 0 {
				o.TreeNodes = -1
			}
			return nil
		}}.add(cmd)
	option{name: "depth", arg: "N", usage: "say where the memory is by prefixes of N segments, behind what all names begin with",
		hint: "--under PREFIX reports on the keys below one", set: wholeNumber(&o.depth, 1, report.MaxSegments)}.add(cmd)
	o.outputFlags.register(cmd, report.FormatNames())
	cmd.Flags().BoolVar(&o.advice, "advice", false, "show commands that change data, too, each with its condition")
	nodesOption(cmd, &o.Cluster).add(cmd)
	failOnOption("fail-on", &o.FailOn, "never", "exit with code 1 on findings of this severity or above: {list}").add(cmd)
}

// failOnOption is a flag of the findings that set the exit code.
func failOnOption(name string, to *thresholds.Severity, value, usage string) option {
	words := []string{"error", "warning", "info", "never"}
	return option{name: name, arg: "SEVERITY", value: value, usage: usage, list: strings.Join(words, ", "), words: words,
		hint: "error, warning, info or never", set: severityOf(to)}
}

func nodesOption(cmd *cobra.Command, to **report.ClusterNodes) option {
	return option{name: "cluster-nodes", arg: "FILE", usage: "output of CLUSTER NODES: say which masters have no snapshot, and which slots are in several; includes scan --cluster",
		hint: "redis-cli CLUSTER NODES > nodes.txt", set: func(path string) (err error) {
			if *to, err = readNodes(path); err != nil || cmd.Flags().Lookup("cluster") == nil {
				return err
			}
			return cmd.Flags().Set("cluster", "true")
		}}
}

func readNodes(path string) (*report.ClusterNodes, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	nodes, err := report.ReadClusterNodes(f)
	if err != nil {
		return nil, message.Errorf("{file} is not the output of CLUSTER NODES: {reason}", message.Path("file", path), message.Reason("reason", err))
	}
	return nodes, nil
}

// serverWords returns the words of a list with commas or spaces between them.
func serverWords(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}

// isModel reports whether a word names a server that there is a memory model for.
func isModel(word string) bool {
	_, _, err := memory.Choose("", "", memory.Options{Server: word})
	return err == nil
}

// whatIfServers returns the files among the arguments: servers that follow --what-if after
// a space are its value, unless there is such a file. An error is a list of which only a part are
// servers.
func (o *scanFlags) whatIfServers(args []string) (files []string, err error) {
	if !o.whatIfAlone {
		return args, nil
	}
	files = slices.DeleteFunc(slices.Clone(args), func(arg string) bool {
		words := serverWords(arg)
		if exists(arg) || !slices.ContainsFunc(words, isModel) {
			return false
		}
		if i := slices.IndexFunc(words, func(word string) bool { return !isModel(word) }); i >= 0 {
			err = usageError("--what-if: unknown server {name}", message.Element("name", words[i])).
				withHint("servers: {names}", message.Code("names", strings.Join(memory.Servers(), ", ")))
		}
		if o.whatIfAlone {
			o.WhatIf, o.whatIfAlone = nil, false
		}
		o.WhatIf = append(o.WhatIf, words...)
		return true
	})
	return files, err
}

// readInfo reads what the server said of its memory.
func (o *scanFlags) readInfo(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if o.Info == nil {
		o.Info = &report.ServerInfo{}
	}
	if err := o.Info.Add(f); err != nil {
		return message.Errorf("{file} is not the output of INFO, MEMORY STATS or CONFIG GET: {reason}", message.Path("file", path), message.Reason("reason", err))
	}
	return nil
}

func (e *env) scan(ctx context.Context, o *scanFlags, args []string) error {
	if err := o.load(ctx, e); err != nil {
		return err
	}
	args, err := o.whatIfServers(args)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		return usageError("no snapshot given").withHint("{code} (- is standard input)", message.Code("code", "rdblens scan dump.rdb"))
	}
	list, err := e.inputs(args, o.expandFlags)
	if err != nil {
		return err
	}
	if o.WhatIf != nil && slices.ContainsFunc(list, (*input).once) {
		return usageError("--what-if reads a snapshot several times: standard input can be read once").
			withHint("save it to a file first")
	}
	if o.Info != nil && len(list) > 1 {
		return usageError("--info is of one server: {n} snapshots are given", message.Int("n", int64(len(list))))
	}
	if err := o.checkTargets(paths(list)); err != nil {
		return outputError(err)
	}
	if o.Shard = o.writes("shard"); o.Shard && o.on {
		return errNamesStay
	}
	o.details = o.details || o.sections != nil
	if o.Source, err = e.finder(&o.source, o.policy); err != nil {
		return err
	}
	var old *report.Report
	if o.older != "" {
		if old, _, err = e.loadReport(ctx, &o.passFlags, report.Options{Top: 1}, []string{o.older}); err != nil {
			return err
		}
	}
	stop := e.progress(list)
	started := time.Now()
	parts, err := e.splitParts(ctx, o, list)
	if err != nil {
		return err
	}
	r, bad, err := e.scanSources(ctx, o.policy, list, o.options(o.Options))
	stop()
	if err != nil {
		return err
	}
	if bad.unread == len(list) && !o.onlyStates() {
		return bad.end(e, len(list))
	}
	if by := o.redactor(); by != nil {
		if r = r.Redacted(by); old != nil {
			old = old.Redacted(by)
		}
	}
	o.nameStates(r)
	write := o.reportFlags.writeOptions(e, r, started)
	write.Since = old
	err = report.WriteAll(o.targets, e.stdout, paths(list), r, write)
	if err == nil && parts != nil && bad.unread < len(list) {
		err = parts.write(o.targets, paths(list), r, write)
	}
	if err != nil && !closedPipe(err) {
		bad.complain(e)
		return outputError(err)
	}
	if err := bad.end(e, len(list)); err != nil {
		return err
	}
	if err := verdict(r, o.FailOn); err != nil {
		return err
	}
	for i := range r.Checks {
		if c := &r.Checks[i]; !c.Met && o.asked(c.Rule) {
			return &exitError{code: exitFindings, err: message.Errorf("{flag} is not met", message.Code("flag", "--"+c.Rule))}
		}
	}
	return nil
}

// runOption is the flag of the run of states.
func runOption(to *string, usage string) option {
	return option{name: "run", arg: "ID", usage: usage, hint: "write {names}", names: "today or $(date +%F)", set: func(arg string) error {
		if *to = arg; arg == "today" {
			*to = now().UTC().Format(time.DateOnly)
		}
		if arg == "" {
			return errEmpty
		}
		if len(arg) > 64 || strings.Trim(arg, runCharacters) != "" || strings.HasPrefix(arg, ".") {
			return message.Errorf("{name} is not of letters, digits, - . and _", message.Element("name", arg))
		}
		return nil
	}}
}

const runCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._"

// checkTargets checks targets before a scan. A state whose target is a directory has no
// name yet.
func (o *reportFlags) checkTargets(inputs []string) error {
	var files []report.Target
	for _, t := range o.targets {
		if !isStateDir(t) {
			files = append(files, t)
		} else if err := os.MkdirAll(t.Path, 0o777); err != nil {
			return err
		}
	}
	return report.CheckTargets(files, inputs)
}

func isStateDir(t report.Target) bool {
	st, err := os.Stat(t.Path)
	return t.Format == "shard" && (strings.HasSuffix(t.Path, "/") || err == nil && st.IsDir())
}

// nameStates names the states whose targets are directories.
func (o *reportFlags) nameStates(r *report.Report) {
	for i := range o.targets {
		if t := &o.targets[i]; isStateDir(*t) {
			t.Path = filepath.Join(t.Path, r.StateName(o.Run))
		}
	}
}

func (o *outputFlags) writes(format string) bool {
	return slices.ContainsFunc(o.targets, func(t report.Target) bool { return t.Format == format })
}

// onlyStates drops all targets but states, which name the snapshots that could not be
// read, and reports whether there are any.
func (o *outputFlags) onlyStates() bool {
	o.targets = slices.DeleteFunc(o.targets, func(t report.Target) bool { return t.Format != "shard" })
	return len(o.targets) > 0
}

func (o *reportFlags) writeOptions(e *env, r *report.Report, started time.Time) report.WriteOptions {
	write := o.outputFlags.writeOptions(e, started)
	write.Sections, write.Advice, write.Rows, write.Depth = o.sections, o.advice, o.rows, o.depth
	if r.Redaction != nil {
		write.Command = ""
	}
	return write
}

// scanSources scans the inputs. What is wrong with one of them is in the failures,
// and in its row of the report.
func (e *env) scanSources(ctx context.Context, policy *thresholds.Policy, list []*input, options report.Options) (*report.Report, *failures, error) {
	r, err := report.Scan(ctx, sourcesOf(list, e.source), policy, options)
	bad, err := failuresOf(err)
	return r, bad, err
}

func (o *passFlags) options(options report.Options) report.Options {
	options.Tool = tool()
	options.Memory, options.Jobs, options.NoChecksum, options.Strict = o.memory, o.jobs, o.parse.NoChecksum, o.parse.Strict
	if f := &o.filter; f.active() {
		options.Filter = f.Filter
		options.Keep = func(k *parser.Key, owner string, created int64) bool {
			return f.keep(k, created) && f.keepOwner(owner)
		}
	}
	return options
}

func sourcesOf(list []*input, of func(*input) report.Source) (sources []report.Source) {
	for _, in := range list {
		sources = append(sources, of(in))
	}
	return sources
}

func (e *env) source(in *input) report.Source {
	return report.Source{Name: in.name, Size: in.size, Later: in.later, Once: in.once(),
		Open: func(ctx context.Context) (io.ReadCloser, error) { return in.open(ctx, e.stdin) }}
}

func verdict(r *report.Report, failOn thresholds.Severity) error {
	if failOn == thresholds.Off {
		return nil
	}
	n := r.Findings.Error
	if failOn <= thresholds.Warning {
		n += r.Findings.Warning
	}
	if failOn <= thresholds.Info {
		n += r.Findings.Info
	}
	for i := range r.Inputs {
		if t := r.Inputs[i].Target; t != nil {
			for _, p := range t.Problems {
				if s, ok := thresholds.ParseSeverity(p.Severity); ok && s >= failOn {
					n++
				}
			}
		}
	}
	if n == 0 {
		return nil
	}
	return &exitError{code: exitFindings, err: message.Errorf("{findings} at or above {code}", message.Number("findings", n, "1 finding", "{n} findings"),
		message.Code("code", "--fail-on "+failOn.String()))}
}
