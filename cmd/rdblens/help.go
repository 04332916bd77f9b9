package main

import (
	_ "embed"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rdblens/rdblens/report/text"
)

// helpFile has what --help says of each command behind "== " and its name: what it does, and behind
// "? " the questions that examples answer, each with its command line on the next line.
//
//go:embed help.txt
var helpFile string

// flagGroups are the flags by what they are about. Others, of one command, come first.
var flagGroups = []struct {
	title string
	names []string
}{
	{"Input", []string{"cluster", "cluster-nodes", "expect", "info", "jobs", "no-checksum", "recursive",
		"source", "source-url", "strict"}},
	{"Filters", []string{"db", "expire-after", "expire-before", "group", "idle-over", "match", "max-elements",
		"max-memory", "max-size",
		"min-elements", "min-memory", "min-size", "no-ttl", "over", "owner", "regex", "rule", "ttl-over", "ttl-under", "type",
		"under", "unexplained"}},
	{"Rules", []string{"accept", "baseline", "config", "fail-on", "fail-on-growth", "fail-on-new", "fail-on-shrink",
		"grow", "max-age", "min-change", "min-keys",
		"profile", "rules", "shrink"}},
	{"Server", []string{"allocator", "maxmemory", "server", "state", "target", "what-if"}},
	{"Output", []string{"advice", "by", "color", "columns", "depth", "details", "format", "limit", "limit-bytes", "notify",
		"metrics", "portable", "raw", "redact",
		"redact-keep", "redact-salt", "replace", "sections", "sort-groups", "split-by", "top",
		"tree-nodes"}},
}

// rareFlags are not listed, but named: few need them. What is a standing choice of a team and not of a run
// has no flag but a setting of the configuration; a check that is left out, a secret and the name of a run
// must not be one.
var rareFlags = []string{"allocator", "limit-bytes", "no-checksum", "redact-salt", "run", "state", "tree-nodes"}

// commandGroups are the commands by what they are for. Others come last.
var commandGroups = [][2]string{{"Reports", "scan diff trend merge nightly"}, {"Keys", "browse keys show identify source"},
	{"Rules", "rules config baseline"}}

// helpTemplate is cobra's, but for the groups of flags.
const helpTemplate = `Usage:{{if .Runnable}}
  {{.UseLine}}{{end}}{{if .HasAvailableSubCommands}}
  {{.CommandPath}} [command]{{end}}{{if .HasExample}}

Examples:
{{.Example}}{{end}}{{if .HasAvailableSubCommands}}{{range $g := commandGroups .}}

{{.Title}}{{range $.Commands}}{{if eq .GroupID $g.ID}}
  {{rpad .Name .NamePadding }} {{.Short}}{{end}}{{end}}{{end}}{{end}}{{flagsOf .}}{{if .HasAvailableInheritedFlags}}

Global Flags:
{{usagesOf .InheritedFlags}}{{end}}{{if .HasAvailableSubCommands}}

COMMAND --help says more, with examples.{{end}}
`

func setHelp(root *cobra.Command) {
	cobra.AddTemplateFunc("flagsOf", flagsOf)
	cobra.AddTemplateFunc("usagesOf", usagesOf)
	cobra.AddTemplateFunc("commandGroups", func(cmd *cobra.Command) []*cobra.Group {
		return append(cmd.Groups(), &cobra.Group{Title: "Commands:"})
	})
	for _, g := range commandGroups {
		root.AddGroup(&cobra.Group{ID: g[0], Title: g[0] + ":"})
		for name := range strings.FieldsSeq(g[1]) {
			cmd, _, _ := root.Find([]string{name})
			cmd.GroupID = g[0]
		}
	}
	root.SetUsageTemplate(helpTemplate)
	texts := map[string]string{}
	for section := range strings.SplitSeq(helpFile, "== ") {
		name, text, _ := strings.Cut(section, "\n")
		texts[name] = text
	}
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		parts := strings.Split("\n"+texts[strings.TrimPrefix(cmd.CommandPath(), "rdblens ")], "\n? ")
		if text := strings.TrimSpace(parts[0]); text != "" {
			cmd.Long = strings.TrimSpace(text + "\n\n" + cmd.Long)
		}
		for i, example := range parts[1:] {
			question, command, _ := strings.Cut(strings.TrimSpace(example), "\n")
			parts[i+1] = "  # " + question + "\n  rdblens " + command
		}
		cmd.Example = strings.Join(parts[1:], "\n")
		for _, name := range rareFlags {
			if f := cmd.Flags().Lookup(name); f != nil {
				f.Hidden = true
			}
		}
		for _, c := range cmd.Commands() {
			visit(c)
		}
	}
	visit(root)
}

func usagesOf(flags *pflag.FlagSet) string {
	return strings.TrimRight(flags.FlagUsagesWrapped(max(0, terminalWidth(os.Stdout)-1)), "\n")
}

func flagsOf(cmd *cobra.Command) string {
	groups := map[string]*pflag.FlagSet{}
	var rare []string
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) { // by name
		title := "Flags"
		for _, g := range flagGroups {
			if slices.Contains(g.names, f.Name) {
				title = g.title
			}
		}
		if groups[title] == nil {
			groups[title] = pflag.NewFlagSet("", pflag.ContinueOnError)
		}
		if f.Hidden && slices.Contains(rareFlags, f.Name) {
			rare = append(rare, "--"+f.Name)
		} else {
			groups[title].AddFlag(f)
		}
	})
	var b strings.Builder
	write := func(title string) {
		if flags := groups[title]; flags != nil && flags.HasAvailableFlags() {
			b.WriteString("\n\n" + title + ":\n" + usagesOf(flags))
		}
	}
	write("Flags")
	for _, g := range flagGroups {
		write(g.title)
	}
	if rare != nil {
		b.WriteString("\n\nRarely used:\n" + strings.TrimRight(text.Wrap("  ", "  ", strings.Join(rare, ", "), 80), "\n"))
		if slices.Contains(rare, "--allocator") {
			b.WriteString("\n\nIn rdblens.yaml alone: max_download (config init explains it)")
		}
	}
	return b.String()
}
