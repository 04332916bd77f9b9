package main

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/memory"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/config"
)

// teamConfig is the configuration that is used without being named, if it is in
// the current directory.
const teamConfig = "rdblens.yaml"

type policyFlags struct {
	given    *pflag.FlagSet // of the command
	profile  string
	config   string
	rules    string
	cluster  bool
	edits    []thresholds.Edit // of flags that set a limit
	baseline string            // file of accepted findings, "" none
}

func (p *policyFlags) register(cmd *cobra.Command) {
	p.given = cmd.Flags()
	profileOption(&p.profile).add(cmd)
	option{name: "config", arg: "FILE",
		usage: "the team's configuration (default {list} in the current directory, if it exists)", list: teamConfig,
		set: textOf(&p.config)}.add(cmd)
	option{name: "rules", arg: "LIST", usage: "select rules by name, such as all,-no-ttl or key-*",
		words: selectors(), set: checkedText(&p.rules, func(arg string) error {
			_, err := thresholds.Select(arg)
			return err
		})}.add(cmd)
}

func baselineOption(target *string) option {
	return option{name: "baseline", arg: "FILE", set: textOf(target),
		usage: "report only findings that this file of accepted ones does not hold; see rdblens baseline"}
}

func (p *policyFlags) limitOption(name, arg, usage, examples string) option {
	return option{name: name, arg: arg, usage: usage, hint: "write {names}", names: examples,
		set: func(value string) error {
			rule, _ := thresholds.Lookup(name)
			limit, err := rule.Unit.Parse(strings.TrimSpace(value))
			if value == "" {
				err = errEmpty
			}
			from := thresholds.Origin{Kind: thresholds.FromFlag, Name: "--" + name}
			p.edits = append(p.edits, thresholds.Edit{Rule: rule.ID, Kind: thresholds.EditLimit, Origin: from,
				Limit: thresholds.Limit{Type: thresholds.AnyType, Severity: thresholds.Error, Value: limit, Origin: from}})
			return err
		}}
}

func (p *policyFlags) asked(rule string) bool {
	r, _ := thresholds.Lookup(rule)
	return slices.ContainsFunc(p.edits, func(e thresholds.Edit) bool { return e.Rule == r.ID })
}

func profileOption(target *string) option {
	return option{name: "profile", arg: "NAME", usage: "rule profile: default, aliyun, baidu, typed or upper",
		words: config.Profiles(), set: checkedText(target, func(arg string) error {
			if !slices.Contains(config.Profiles(), arg) {
				return config.UnknownProfile(arg)
			}
			return nil
		})}
}

// load returns the policy in force: flags take precedence over the configuration.
// Valid but suspicious settings produce a warning on standard error.
func (p *policyFlags) load(ctx context.Context, e *env) (*thresholds.Policy, error) {
	path, err := inForce(p.config)
	if err != nil {
		return nil, err
	}
	options := config.Options{Profile: p.profile, Config: path, Rules: p.rules, Edits: p.edits, Baseline: p.baseline}
	if p.given.Changed("cluster") { // =false, too
		options.Cluster = &p.cluster
	}
	return e.loadPolicy(ctx, options)
}

// maxJobs bounds the goroutines, each of which has blocks of its own.
const maxJobs = 256

// passFlags are the flags of every command that reads all keys of snapshots. They
// are checked; load does the rest.
type passFlags struct {
	policyFlags
	expandFlags
	filter filter
	parse  parser.Options // without the memory model, which depends on the input
	memory memory.Options // Cluster is set by load
	jobs   int            // 0: as many as there are CPUs
	policy *thresholds.Policy
}

func (p *passFlags) register(cmd *cobra.Command) {
	p.policyFlags.register(cmd)
	p.expandFlags.register(cmd)
	p.filter.register(cmd)
	model := func(target *string) func(string) error {
		return checkedText(target, func(string) error {
			_, _, err := memory.Choose("", "", p.memory)
			return err
		})
	}
	option{name: "server", arg: "NAME",
		usage: "server whose memory is computed, such as redis-7.0 or valkey-8.1 (default the one that wrote the snapshot)",
		words: memory.Servers(), set: model(&p.memory.Server), hint: "--server redis-7.0"}.add(cmd)
	option{name: "allocator", arg: "NAME", usage: "its allocator: {list} (default the one that used_memory fits; MEMORY MALLOC-STATS shows it: quantum size 8, 16)",
		list:  strings.Join(memory.Allocators(), ", "),
		words: memory.Allocators(), set: model(&p.memory.Allocator), hint: "--allocator jemalloc-system"}.add(cmd)
	option{name: "state", arg: "STATE", usage: "live (as the keys grew) or reloaded (as after a restart) (default live)",
		words: memory.States(), set: model(&p.memory.State), hint: "--state reloaded"}.add(cmd)
	option{name: "jobs", arg: "N",
		usage: "goroutines that read keys (default the number of CPUs, at most 16); the result does not depend on it",
		set:   wholeNumber(&p.jobs, 0, maxJobs), hint: "0 is the number of CPUs, at most 16"}.add(cmd)
	f := cmd.Flags()
	f.BoolVar(&p.cluster, "cluster", false, "the snapshot is of a cluster node (for files that do not show it)")
	f.BoolVar(&p.parse.Strict, "strict", false, "treat a checksum that the server switched off as damage")
	f.BoolVar(&p.parse.NoChecksum, "no-checksum", false, "do not check the checksum")
	exclusive(cmd, "strict", "no-checksum", "")
}

func (p *passFlags) load(ctx context.Context, e *env) (err error) {
	if p.policy, err = p.policyFlags.load(ctx, e); err != nil {
		return err
	}
	if err := p.filter.ready(); err != nil {
		return err
	}
	if most := p.policy.MaxDownload; most != nil {
		if p.maxDownload = most.Number; most.Number < 0 {
			p.maxDownload = math.MaxInt64
		}
	}
	p.memory.Cluster = p.policy.Cluster.Value
	known := p.policy.Owners()[1:] // the first stands for keys without an owner
	for _, o := range p.filter.Owners {
		if slices.Contains(known, o) {
			continue
		}
		hint := "owners: {names}"
		if len(known) == 0 {
			hint = "the configuration assigns no owner to any group: see its namespaces and overrides"
		}
		return usageError("--owner: unknown owner {name}", message.Element("name", o)).withHint(hint,
			message.Element("names", strings.Join(known, ", ")))
	}
	return nil
}

// modelOf returns the memory model for a snapshot, nil if there is none.
func modelOf(options memory.Options, info *parser.Info) *memory.Model {
	options.Cluster = options.Cluster || info.Cluster
	options.RDB = info.Version
	m, _, _ := memory.Choose(info.Server, info.ServerVersion, options) // the flags are valid
	return m
}

func (p *passFlags) engine(info *parser.Info) *thresholds.Engine {
	return p.policy.Compile(thresholds.Env{
		Server: info.Server, Version: info.ServerVersion, Created: info.Created,
		Cluster: info.Cluster || p.memory.Cluster, Memory: modelOf(p.memory, info) != nil, Now: time.Now(),
	})
}
