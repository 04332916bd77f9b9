package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/memory"
	"github.com/rdblens/rdblens/thresholds"
)

// teamConfig is the configuration that is used without being named, where it
// lies in the current folder.
const teamConfig = "rdblens.yaml"

// policyFlags choose the rules.
type policyFlags struct {
	given   *pflag.FlagSet // of the command
	profile string
	config  string
	rules   string
	cluster bool
}

func (p *policyFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	p.given = f
	f.StringVar(&p.profile, "profile", "", "profile of rules: default, aliyun, baidu, typed or upper")
	f.StringVar(&p.config, "config", "", "the team's own rules (without it: "+teamConfig+" in the current folder, if there)")
	f.StringVar(&p.rules, "rules", "", "choose rules by name, such as all,-no-ttl or key-*")
	cmd.RegisterFlagCompletionFunc("profile", completeProfiles)
	cmd.RegisterFlagCompletionFunc("rules", completeRules)
}

// load gives the policy in force: a flag beats the file. What can hardly be meant
// is told on standard error.
func (p *policyFlags) load(e *env) (*thresholds.Policy, error) {
	path := p.config
	if path == "" {
		if _, err := os.Lstat(teamConfig); err == nil {
			path = teamConfig
		}
	}
	options := thresholds.LoadOptions{Profile: p.profile, Config: path, Rules: p.rules}
	if p.given.Changed("cluster") { // =false, too
		options.Cluster = &p.cluster
	}
	policy, err := thresholds.Load(options)
	if err != nil {
		return nil, policyError(err)
	}
	e.warn(policy)
	return policy, nil
}

// scanFlags are those of every command that reads all keys of snapshots.
type scanFlags struct {
	policyFlags
	filter     filterFlags
	server     string
	allocator  string
	state      string
	jobs       int
	strict     bool
	noChecksum bool
}

func (s *scanFlags) register(cmd *cobra.Command) {
	s.policyFlags.register(cmd)
	f := cmd.Flags()
	f.StringSliceVar(&s.filter.types, "type", nil, "only keys of these types: string, list, set, zset, hash, stream, module, ...")
	f.IntSliceVar(&s.filter.dbs, "db", nil, "only keys of these databases")
	f.StringArrayVar(&s.filter.match, "match", nil, "only keys whose name matches the glob, as KEYS takes it; can be repeated")
	f.StringArrayVar(&s.filter.regex, "regex", nil, "only keys whose name matches the regular expression; can be repeated")
	f.StringVar(&s.filter.minSize, "min-size", "", "only keys whose value has at least this many bytes: 10KB, 1MB")
	f.Int64Var(&s.filter.minElements, "min-elements", 0, "only keys with at least this many elements")
	f.StringSliceVar(&s.filter.owners, "owner", nil, "only keys of groups that the configuration gives to these owners")
	f.StringVar(&s.server, "server", "", "server whose memory is computed, such as redis-7.0 or valkey-8.1 (without it: the one that wrote the file)")
	f.StringVar(&s.allocator, "allocator", "", "its allocator: jemalloc, jemalloc-system or jemalloc-5.3.1 (default jemalloc)")
	f.StringVar(&s.state, "state", "", "live (as the keys grew, default) or reloaded (as they are after a restart)")
	f.BoolVar(&s.cluster, "cluster", false, "the snapshot is a cluster node's, where the file does not show it")
	f.IntVar(&s.jobs, "jobs", 0, "goroutines that walk keys (default the number of CPUs, at most 16); the result is the same for any number")
	f.BoolVar(&s.strict, "strict", false, "a checksum that the server switched off counts as damage")
	f.BoolVar(&s.noChecksum, "no-checksum", false, "do not check the checksum")
	cmd.RegisterFlagCompletionFunc("type", completeWords(typeNames()...))
	cmd.RegisterFlagCompletionFunc("server", completeWords(memory.Servers()...))
	cmd.RegisterFlagCompletionFunc("allocator", completeWords(memory.Allocators()...))
	cmd.RegisterFlagCompletionFunc("state", completeWords(memory.States()...))
}

// maxJobs bounds the goroutines, each of which has blocks of its own.
const maxJobs = 256

// plan is what the flags of a pass come to.
type plan struct {
	filter *filter
	policy *thresholds.Policy
	parse  parser.Options // without the memory model, which each input has for itself
	memory memory.Options
	jobs   int // 0: as many as there are CPUs
}

// model returns the memory model for a snapshot, nil if there is none.
func (p *plan) model(info *parser.Info) *memory.Model {
	options := p.memory
	options.Cluster = options.Cluster || info.Cluster
	options.RDB = info.Version
	m, _, _ := memory.Choose(info.Server, info.ServerVersion, options) // compile tried the options
	return m
}

// engine returns the compiled rules for a snapshot.
func (p *plan) engine(info *parser.Info) *thresholds.Engine {
	return p.policy.Compile(thresholds.Env{
		Server: info.Server, Version: info.ServerVersion, Created: info.Created,
		Cluster: info.Cluster || p.memory.Cluster, Memory: p.model(info) != nil, Now: time.Now(),
	})
}

func (s *scanFlags) compile(e *env) (*plan, error) {
	if s.jobs < 0 || s.jobs > maxJobs {
		return nil, usageError(fmt.Sprintf("--jobs: %d is not between 0 (one a CPU, at most 16) and %d", s.jobs, maxJobs), "")
	}
	if s.strict && s.noChecksum {
		return nil, usageError("--strict and --no-checksum exclude each other", "")
	}
	p := &plan{
		parse:  parser.Options{NoChecksum: s.noChecksum, Strict: s.strict},
		memory: memory.Options{Server: s.server, Allocator: s.allocator, State: s.state},
		jobs:   s.jobs,
	}
	if _, _, err := memory.Choose("", "", p.memory); err != nil {
		return nil, usageError(err.Error(), "--server redis-7.0, --allocator jemalloc-system, --state reloaded")
	}
	var err error
	if p.filter, err = s.filter.compile(); err != nil {
		return nil, err
	}
	if p.policy, err = s.load(e); err != nil {
		return nil, err
	}
	p.memory.Cluster = p.policy.Cluster.Value
	return p, p.checkOwners()
}

// checkOwners refuses owners that the configuration does not name.
func (p *plan) checkOwners() error {
	known := p.policy.Owners()[1:] // the first is nobody
	for _, o := range p.filter.owners {
		if slices.Contains(known, o) {
			continue
		}
		hint := "owners: " + strings.Join(known, ", ")
		if len(known) == 0 {
			hint = "the configuration gives no group an owner: see namespaces and overrides in it"
		}
		return usageError(fmt.Sprintf("--owner: unknown owner %q", o), hint)
	}
	return nil
}
