package report

import (
	"context"
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/memory"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/internal/agg"
	"github.com/rdblens/rdblens/report/internal/cluster"
	"github.com/rdblens/rdblens/report/internal/codebase"
	"github.com/rdblens/rdblens/report/internal/serverinfo"
	"github.com/rdblens/rdblens/report/internal/target"
	"github.com/rdblens/rdblens/thresholds"
)

// Source is a snapshot that Scan reads.
type Source struct {
	Name string // Input.Name: a path, "-" for standard input
	Size int64  // length of the file in bytes, -1 if unknown
	// Later is what was written after the snapshot, if it is the base of an append-only
	// file; nil elsewhere.
	Later *Later
	// Once reports whether Open works only once: of standard input, and of a pipe.
	Once bool
	// Open is called once, and again for each server of Options.WhatIf. Scan reads what it returns to the end of the snapshot
	// and closes it. See parser.Open and parser.Wrap.
	Open func(context.Context) (io.ReadCloser, error)
}

// Options say what Scan reads and what the report shows. The zero Options are
// those of a scan of all keys with default figures.
type Options struct {
	Tool       Tool                // Report.Tool
	Top        int                 // keys on each list of the largest, 0 for none
	Examples   int                 // keys that are shown for each rule and severity; 0 is 10
	AllGroups  bool                // name all groups with a finding, not the worst 1,000
	TreeNodes  int                 // nodes of Report.Tree at most; 0 is DefaultTreeNodes, negative no tree
	By         string              // Report.By: a measure, "" is ByMemory
	GroupOrder string              // order of Report.Groups: a column of GroupOrders, "" the default
	MaxMemory  int64               // bytes of a server that the keys are to fit into, 0 not asked
	FailOn     thresholds.Severity // recorded in Report.Config, Off if not asked
	Memory     memory.Options      // server whose memory is computed; RDB and Cluster are set by Scan
	// Info is what the server of the only snapshot says of its memory, nil unknown.
	Info *serverinfo.Info
	// WhatIf are servers whose memory is predicted as well, nil none. Each costs
	// another pass over the source, whose Open is then called again.
	WhatIf []string
	// Target is a server of which the report says whether it loads the snapshots, and
	// what their keys take there, which costs another pass over all but standard
	// input; nil none.
	Target     *target.Server
	Cluster    *cluster.Nodes // what the nodes are that the snapshots should be of, nil unknown
	NoChecksum bool           // do not compute the checksum of a snapshot
	Strict     bool           // a checksum that the server switched off counts as damage
	// Jobs is the number of goroutines that walk keys, 0 is one a CPU, at most
	// 16. The report does not depend on it.
	Jobs int
	Now  time.Time // decides which entries of the policy's ignore list have ended; zero is time.Now
	// Keep, if not nil, reports whether a key is counted. created is when its
	// snapshot was taken, in seconds since the epoch, -1 unknown; see TTL. Keep is
	// called by several goroutines. Filter describes it in the report.
	Keep   func(k *parser.Key, owner string, created int64) bool
	Filter Filter
	// Over, if not 0, are rules: only keys with a finding of one of them are counted.
	// Filter.Over has their names.
	Over thresholds.RuleSet
	// Source finds the lines of source code that write the keys of groups, nil none.
	Source *codebase.Finder
	// Shard makes the state that format shard writes and Merge reads.
	Shard bool
	// Run names the run of which the state is, "" unknown. Merge leaves out the states of
	// other runs if it is set.
	Run string
	// MaxAge is the age of a snapshot, by its own time, from which on Merge leaves out its
	// state; 0 is none.
	MaxAge time.Duration
	// Expect are names of snapshots whose states Merge must have.
	Expect []string
	// Part, if not nil, is called with a report of the keys of each owner of the
	// policy that has any, "" for keys without one, after a scan of which anything
	// was read; or if there are Prefixes, with one of the keys of each that has any. No
	// prefix must begin with another one.
	Part     func(part string, r *Report)
	Prefixes []string

	// keys is filled with the keys that Compare compares, nil none.
	keys *agg.KeyList
}

// SourceError says why a Source was not read to its end.
type SourceError struct {
	Name string // of the Source
	Keys int64  // whole keys that were read
	// Err is a *parser.DamageError if a part of the snapshot was read (it wraps
	// the context's error if the scan was interrupted). Else nothing was read:
	// Err is a *parser.FormatError or an error of opening the file.
	Err error
	row int // index in Report.Inputs
}

// AsMessage returns the error as a message.
func (e *SourceError) AsMessage() message.Message {
	return message.New("{file}: {reason}", fileArg("file", Name(e.Name)), message.Phrase("reason", reasonOf(e.Err)))
}

func (e *SourceError) Error() string { return e.AsMessage().String() }

// Unwrap returns Err.
func (e *SourceError) Unwrap() error { return e.Err }

// ScanError has the sources that were not read to their end, in their order.
type ScanError []*SourceError

func (e ScanError) Error() string {
	var lines []string
	for _, s := range e {
		lines = append(lines, s.Error())
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the errors of the sources.
func (e ScanError) Unwrap() []error {
	var list []error
	for _, s := range e {
		list = append(list, s)
	}
	return list
}

// Bounds of the goroutines of a scan.
const (
	// usualJobs is the most goroutines that walk keys unasked: one of them at a
	// time finds the ends of records, which keeps no more than six busy, and a
	// hostile snapshot can make each hold several megabytes.
	usualJobs = 16
	// sideBySide is the most snapshots that are read at a time. It also bounds
	// the builders in memory: one is read only when an earlier one was merged.
	sideBySide = 2
)

// Scan reads snapshots, checks every key against the rules of a policy and
// returns the report. The snapshots are in the order of their names.
//
// If a source cannot be read to its end, the error is a ScanError, and the
// report covers what was read: Report.Complete is false and its Inputs say why.
// The report is nil only if an option is not valid. A context that ends
// interrupts the scan in the same way.
func Scan(ctx context.Context, sources []Source, policy *thresholds.Policy, opt Options) (*Report, error) {
	sources = slices.Clone(sources)
	slices.SortStableFunc(sources, func(a, b Source) int { return strings.Compare(a.Name, b.Name) })
	s := &scan{policy: policy, opt: opt}
	if err := s.check(); err != nil {
		return nil, err
	}
	if opt.Keep != nil || opt.Over != 0 {
		s.filter = &opt.Filter
	}
	beside := max(1, min(len(sources), sideBySide, s.opt.Jobs))
	jobs := max(1, s.opt.Jobs/beside)
	results := make([]chan scanned, len(sources))
	slots := make(chan struct{}, beside)
	s.several = len(sources) > 1
	for i := range sources {
		results[i] = make(chan scanned, 1)
	}
	next := make(chan int)
	for range beside { // goroutines that stay: a stack grows once
		go func() {
			for i := range next {
				results[i] <- s.one(ctx, &sources[i], i, jobs)
			}
		}()
	}
	go func() {
		for i := range sources {
			slots <- struct{}{}
			next <- i
		}
		close(next)
	}()
	all := agg.NewBuilder(agg.Options{Top: s.opt.Top, Examples: s.opt.Examples})
	var parts []*agg.Builder
	var inputs []Input
	var failed ScanError
	for i := range sources {
		one := <-results[i]
		if i == 0 {
			all = one.builder
		} else {
			all.Merge(one.builder)
		}
		if parts == nil {
			parts = one.parts
		} else {
			for n, b := range one.parts {
				parts[n].Merge(b)
			}
		}
		<-slots
		inputs = append(inputs, one.input)
		if one.err != nil {
			failed = append(failed, &SourceError{sources[i].Name, one.input.Keys, one.err, i})
		}
	}
	return s.report(all, parts, inputs, failed)
}

func (s *scan) report(all *agg.Builder, parts []*agg.Builder, inputs []Input, failed ScanError) (*Report, error) {
	var shard []byte
	if s.opt.Shard {
		var err error
		if shard, err = s.shard(all, inputs, failed); err != nil {
			return nil, err
		}
	}
	check, missing := s.checkCluster(all)
	failed = append(failed, missing...)
	finish := func(b *agg.Builder, inputs []Input) *Report {
		r := newReport(b, &s.opt, inputs)
		r.Tool = s.opt.Tool
		r.Config, r.Cluster = s.config(inputs), check
		if s.filter != nil {
			filter := *s.filter
			filter.Dropped = b.Dropped
			r.Filter = &filter
		}
		r.Complete = failed == nil && !slices.ContainsFunc(inputs, func(in Input) bool { return !in.Complete })
		r.Interrupted = failed != nil && errors.Is(failed, context.Canceled)
		return r
	}
	for i, b := range parts {
		if b.Keys > 0 {
			s.partReport(finish, b, i, inputs, all)
		}
	}
	r := finish(all, inputs)
	r.checkLimits(s.policy, s.opt.Now.Unix())
	if s.opt.Shard {
		r.State = func() []byte { return shard }
	}
	if failed != nil {
		return r, failed
	}
	if s.filter == nil && s.policy.Rules == "" {
		for i := range r.Ignored {
			in := &r.Ignored[i]
			in.Unused = in.Count == 0 && !in.Expired && !in.Grown
		}
	}
	return r, nil
}

// partReport passes on the report of the keys of one owner or prefix.
func (s *scan) partReport(finish func(*agg.Builder, []Input) *Report, b *agg.Builder, part int, inputs []Input, all *agg.Builder) {
	own := slices.Clone(inputs)
	for i := range own {
		own[i].Memory = nil // that is of the whole snapshot
	}
	r := finish(b, own)
	r.Passed = slices.DeleteFunc(r.Passed, func(rule string) bool { return rule == "min-keys" || rule == "budget" }) // they are about all keys
	for _, steps := range [][]Step{r.FixFirst, r.Savings} {
		for i := range steps {
			steps[i].List = []string{} // the command would list keys of other parts, too
		}
	}
	filter := s.opt.Filter
	filter.Dropped = all.Keys + all.Dropped - b.Keys
	r.Filter = &filter
	if s.opt.Prefixes != nil {
		filter.Under = []string{s.opt.Prefixes[part]}
		s.opt.Part(filter.Under[0], r)
		return
	}
	filter.Owners = []string{s.policy.Owners()[part]}
	s.opt.Part(filter.Owners[0], r)
}

type scan struct {
	policy  *thresholds.Policy
	opt     Options
	filter  *Filter // without Dropped, nil if every key counts
	several bool    // there are several sources
	mu      sync.Mutex
	last    *thresholds.Engine // of the snapshot that was begun last; guarded by mu
}

// check checks the options and sets those that are not given.
func (s *scan) check() error {
	o := &s.opt
	if o.By != "" && !slices.Contains(Measures(), o.By) {
		return message.Errorf("unknown measure {name}", message.Element("name", o.By))
	}
	if o.GroupOrder != "" && !slices.Contains(GroupOrders(), o.GroupOrder) {
		return message.Errorf("unknown order of groups {name}", message.Element("name", o.GroupOrder))
	}
	if _, _, err := memory.Choose("", "", o.Memory); err != nil {
		return err
	}
	if rule, _ := thresholds.Lookup("slot-skew"); o.Cluster != nil && !s.policy.Settings[rule.ID].On {
		return message.Errorf("the nodes of a cluster are compared by rule slot-skew, which is off in profile {profile}",
			message.Text("profile", s.policy.Profile.Value))
	}
	if n, _ := o.Info.Get("maxmemory"); o.MaxMemory == 0 {
		o.MaxMemory = n
	}
	if o.Examples <= 0 {
		o.Examples = 10
	}
	if o.Jobs <= 0 {
		o.Jobs = min(runtime.GOMAXPROCS(0), usualJobs)
	}
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	o.Memory.Cluster = s.policy.Cluster.Value
	return nil
}

func (s *scan) config(inputs []Input) Config {
	p := s.policy
	c := Config{Profile: p.Profile.Value, File: p.File, Rules: p.Rules, Baseline: p.Baseline, Separators: p.Separators.Value, Cluster: p.Cluster.Value}
	for i := range p.Settings {
		if p.Settings[i].On {
			c.Checked = append(c.Checked, p.Settings[i].Rule.Name)
		}
	}
	c.Warnings, c.WarningMessages = textsOf(p.Warnings), p.Warnings
	for _, in := range inputs {
		c.Cluster = c.Cluster || in.Cluster
	}
	if s.opt.FailOn != thresholds.Off {
		c.FailOn = s.opt.FailOn.String()
	}
	return c
}

type scanned struct {
	builder *agg.Builder
	parts   []*agg.Builder // of each owner or prefix, if Options.Part asks for them
	input   Input
	err     error

	found AllocatorChoice // what its used_memory shows of the allocator
}

// one reads one source: again if its used_memory shows that it was read with the sizes
// of another allocator than that of the server that wrote it.
func (s *scan) one(ctx context.Context, source *Source, number, jobs int) scanned {
	sizes := s.opt.Info.Options(s.opt.Memory)
	found, node, certain := findAllocator(ctx, source, sizes, firstPart, true)
	if sizes.Allocator = found.Allocator; sizes.StreamNode == 0 {
		sizes.StreamNode = node
	}
	out := s.pass(ctx, source, number, jobs, sizes, !certain)
	m := out.input.Memory
	if m == nil || m.Model == "" {
		return out
	}
	if out.found.Allocator != "" {
		found = out.found
	}
	again := found.Allocator != "" && found.Allocator != m.Allocator && found.AllocatorBasis != AllocatorUnknown
	if again && source.Size >= 0 && !source.Once && s.opt.keys == nil {
		out = scanned{} // its memory is used again
		sizes.Allocator = found.Allocator
		out = s.pass(ctx, source, number, jobs, sizes, false)
		m = out.input.Memory
	}
	if m != nil {
		m.AllocatorChoice = found.readOnce(m.Allocator)
	}
	return out
}

// pass reads a source with the sizes of a model. find: its allocator is to be compared with
// others, unless the caller named a server.
func (s *scan) pass(ctx context.Context, source *Source, number, jobs int, sizes memory.Options, find bool) scanned {
	o := agg.Options{Top: s.opt.Top, Examples: s.opt.Examples, Input: number, List: s.opt.keys, Over: s.opt.Over,
		Names: s.several}
	var engine *thresholds.Engine
	if s.opt.Keep != nil {
		o.Keep = func(k *parser.Key, owner int) bool {
			return s.opt.Keep(k, engine.Owners()[owner], engine.Env().Created)
		}
	}
	b := agg.NewBuilder(o)
	each := agg.ByPart{All: b, Prefixes: s.opt.Prefixes}
	c := keyspace{MaxMemory: s.opt.MaxMemory, Info: s.opt.Info}
	var check *target.Check
	info, err := func() (*parser.Info, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		src, err := source.Open(ctx)
		if err != nil {
			return nil, err
		}
		defer src.Close()
		options := parser.Options{NoChecksum: s.opt.NoChecksum, Strict: s.opt.Strict, Jobs: jobs, Wait: agg.Wait, Details: s.policy.Details(),
			SinkMemory: parser.DefaultSinkMemory * int64(jobs) / int64(s.opt.Jobs),
			Allocators: find && s.opt.Memory.Allocator == ""}
		options.Memory = func(info *parser.Info) *memory.Model {
			c.Model, c.Note, c.Other = modelOf(info, sizes)
			return c.Model
		}
		options.Header = func(info *parser.Info) {
			if s.opt.Target != nil {
				check = s.opt.Target.NewCheck(info)
			}
			engine = s.engine(info, c.Model)
			b.Start(engine)
			if s.opt.Part != nil {
				each.Start()
			}
		}
		return parser.Run(ctx, src, options, func() parser.Sink {
			var sink parser.Sink
			if sink = b.NewShard(); s.opt.Part != nil {
				sink = each.NewShard()
			}
			if check != nil {
				sink = check.Sink(sink)
			}
			return sink
		})
	}()
	in := newInput(source.Name, source.Size, info, err)
	in.Later = source.Later
	if s.opt.Target != nil {
		in.Target = newCompatibility(s.opt.Target, check, info, &in)
	}
	if in.Format != "" {
		c.Slots, c.Databases, c.Bounded, c.Rough = info.Slots, databasesOf(b, number), b.Tables.MemoryBound, b.Tables.MemoryApproximate
		c.Templates, c.NameBytes = info.TemplateMemory, b.Tables.NameBytes()
		c.Random = memory.Random{Scored: b.Tables.Cells[parser.ZSet][parser.EncSkiplist].Elements,
			Sets: b.Tables.Cells[parser.Set][parser.EncHashtable].Elements, Hashes: b.Tables.Cells[parser.Hash][parser.EncHashtable].Elements}
		gone := b.Histograms.Expired()
		c.Expired, c.ExpiredMemory = gone.Keys, gone.Memory
		c.Partial = !in.Ended || s.filter != nil
		in.Memory = newMemory(&in, c)
		if v := string(in.ServerVersion); c.Info != nil && c.Info.Version != "" && v != "" && c.Info.Version != v {
			in.warn(message.New("{flag} is of a server of version {info}, the snapshot of {version}: its figures are of "+
				"another one, or of another time", message.Code("flag", "--info"),
				message.Element("info", c.Info.Version), message.Element("version", v)))
		}
		if (s.opt.WhatIf != nil || s.opt.Target != nil && !source.Once) && c.Model != nil && !c.Partial {
			in.Memory.WhatIf, err = s.whatIf(ctx, source, info, &in, c, jobs, sizes)
		} else if s.opt.WhatIf != nil {
			in.warn(message.New("{flag} is not answered: that needs all keys, and a server with a memory model",
				message.Code("flag", "--what-if")))
		}
	}
	out := scanned{builder: b, parts: each.Parts, input: in, err: err}
	if c.Model != nil && !c.Partial && !c.Other && info.Sampled != nil && info.UsedMem > 0 {
		keys, databases := c.Templates, []memory.Database(nil)
		for _, d := range databasesOf(b, number) {
			keys += int64(d.MemoryBytes)
			databases = append(databases, memory.Database{Number: d.DB, Keys: d.Keys, Expires: d.WithTTL})
		}
		out.found = allocatorOf(c.Model, info, keys, databases)
	}
	return out
}

func (s *scan) engine(info *parser.Info, model *memory.Model) *thresholds.Engine {
	env := thresholds.Env{Server: info.Server, Version: info.ServerVersion, Created: info.Created,
		Cluster: info.Cluster || s.opt.Memory.Cluster, Memory: model != nil, Now: s.opt.Now}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil {
		s.last = s.policy.Compile(env)
	} else {
		s.last = s.last.For(env)
	}
	return s.last
}
