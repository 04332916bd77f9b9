package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/memory"
	"github.com/rdblens/rdblens/report"
	"github.com/rdblens/rdblens/thresholds/config"
)

func newConfigSuggest(e *env) *cobra.Command {
	profile, separators := config.Profiles()[0], ":"
	cmd := &cobra.Command{
		Use:   "suggest SNAPSHOT...",
		Short: "Print a configuration that the keys of snapshots pass",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.configSuggest(cmd.Context(), profile, separators, args)
		},
	}
	profileOption(&profile).add(cmd)
	option{name: "separators", arg: "CHARS", value: separators, usage: "the characters between the segments of names",
		set: checkedText(&separators, config.CheckSeparators), hint: `--separators ":#"`}.add(cmd)
	return cmd
}

// maxTakenBack is how often rules that a suggestion fails are taken back.
const maxTakenBack = 4

// configSuggest reads the snapshots for what they are, and again until they pass.
func (e *env) configSuggest(ctx context.Context, profile, separators string, names []string) error {
	x := &expander{env: e}
	for _, name := range names {
		if name == "-" {
			return usageError("config suggest reads snapshots several times, and standard input once").withHint("name a file")
		}
		if err := x.add("", name, nil); err != nil {
			return err
		}
	}
	all := config.NewKeyspace(separators)
	var sources []report.Source
	for _, in := range x.list {
		if err := e.observe(ctx, in, all, separators); err != nil {
			return unreadable(in.name, err)
		}
		sources = append(sources, e.source(in))
	}
	suggestion := all.Suggest(profile, strings.Join(names, ", "))
	for range maxTakenBack {
		policy, err := config.LoadText(config.Options{Config: "suggested.yaml"}, suggestion.YAML())
		if err != nil {
			return policyError(err)
		}
		r, err := report.Scan(ctx, sources, policy, report.Options{TreeNodes: -1, Examples: 1})
		if err != nil {
			return err
		}
		if len(r.Rules) == 0 {
			break
		}
		for i := range r.Rules {
			found := &r.Rules[i]
			if !slices.ContainsFunc(r.Rules[:i], func(f report.Finding) bool { return f.Rule == found.Rule }) {
				suggestion.Off(found.Rule, found.Count)
			}
		}
	}
	_, err := e.stdout.Write(suggestion.YAML())
	return outputError(err)
}

func (e *env) observe(ctx context.Context, in *input, all *config.Keyspace, separators string) error {
	src, err := in.open(ctx, e.stdin)
	if err != nil {
		return err
	}
	defer src.Close()
	var created int64
	options := parser.Options{Details: parser.DetailFormats | parser.DetailFieldNames,
		Header: func(info *parser.Info) { created = info.Created }}
	options.Memory = func(info *parser.Info) *memory.Model { return modelOf(memory.Options{}, info) }
	_, err = parser.Run(ctx, src, options, func() parser.Sink {
		return &observer{all: all, own: config.NewKeyspace(separators), created: &created, separators: separators}
	})
	return err
}

type observer struct {
	all, own   *config.Keyspace
	created    *int64
	separators string
}

func (o *observer) Key(k *parser.Key) { o.own.Add(k, *o.created) }

// Size is about that of a Keyspace with as many namespaces as it may have.
func (o *observer) Size() int { return 128 << 10 }

func (o *observer) Flush(bool) error {
	o.all.Merge(o.own)
	o.own = config.NewKeyspace(o.separators)
	return nil
}
