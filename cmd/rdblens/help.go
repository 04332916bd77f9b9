package main

import (
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rdblens/rdblens/report/text"
)

// What help has besides the description of a command: its flags in groups, and examples.

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
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		var lines []string
		for _, e := range helpExamples[strings.TrimPrefix(cmd.CommandPath(), "rdblens ")] {
			lines = append(lines, "  # "+e[0], "  rdblens "+e[1])
		}
		cmd.Example = strings.Join(lines, "\n")
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

// helpExamples are questions that commands answer.
var helpExamples = map[string][][2]string{
	"scan": {
		{"What is in the snapshot, and what is wrong with it?", "scan dump.rdb"},
		{"What goes into the ticket, and what do programs read?", "scan -f report.md -f json=report.json dump.rdb"},
		{"Does it keep the company's rules? Exit code 1 if not.", "scan --profile aliyun --fail-on error dump.rdb"},
		{"Will Redis 7.2 load it, and is 4 GB enough?", "scan --target redis-7.2 --maxmemory 4GB dump.rdb"},
		{"What expires within the next hour?", "scan --ttl-under 1h dump.rdb"},
	},
	"browse": {
		{"Which prefix has the memory, and which keys are in it?", "browse dump.rdb"},
		{"What of that never expires?", "browse --no-ttl dump.rdb"},
		{"What was in last week's snapshot?", "browse report.json"},
	},
	"merge": {
		{"What is in one shard? On the machine that has it.", "scan -f shard=7.shard shard-7.rdb"},
		{"What is in all of them together?", "merge -f report.html -f json=fleet.json states/"},
	},
	"diff": {
		{"What has changed since yesterday?", "diff monday.rdb tuesday.rdb"},
		{"Is there a new problem, or have keys gone? Exit code 1 if so.",
			"diff --fail-on-new warning --fail-on-shrink 30% yesterday.json dump.rdb"},
	},
	"trend": {
		{"Which prefixes grow?", "trend reports/"},
		{"When is the memory full?", "trend --maxmemory 16GB monday.json tuesday.json"},
	},
	"nightly": {
		{"Has anything happened since last night?", "nightly --dir /var/lib/rdblens --max-age 26h /backup/*.rdb"},
		{"The same of a running server, told on Slack.",
			"nightly --dir /var/lib/rdblens --replica '-h replica1' --notify slack=/etc/rdblens/slack.url"},
	},
	"keys": {
		{"Which keys are there?", "keys dump.rdb > keys.csv"},
		{"Which hashes have 5,000 fields or more?", "keys --type hash --min-elements 5000 dump.rdb"},
		{"How are exactly these keys deleted?", "keys --group 'cache:v1:*' -f unlink dump.rdb | redis-cli --pipe"},
		{"Which keys break these rules?", "keys --over big-string,no-ttl -f jsonl dump.rdb"},
	},
	"show": {
		{"What does this key hold?", "show dump.rdb cart:42"},
		{"How is a deleted key put back?", "show --format resp dump.rdb cart:42 | redis-cli --pipe"},
		{"And all carts, on another kind of server?", "show --format resp --portable dump.rdb --match 'cart:*' > carts.resp"},
		{"What are the bytes of this string?", "show --raw dump.rdb page:7 > page.html"},
	},
	"identify": {
		{"Which libraries wrote the keys?", "identify dump.rdb"},
		{"What does BullMQ write, and how is it deleted?", "identify bullmq"},
	},
	"source": {
		{"Which lines of the code write keys?", "source ~/src/shop"},
		{"Which of them forget the TTL?", "source ~/src/shop dump.rdb"},
	},
	"rules": {
		{"Which rules are there?", "rules"},
		{"Why is a key without a TTL a problem?", "rules explain no-ttl"},
	},
	"rules list": {
		{"What does a profile check?", "rules list --profile baidu"},
		{"What can no snapshot show?", "rules list --not-checkable"},
	},
	"rules explain":   {{"What does a rule flag, why, and who says so?", "rules explain big-string"}},
	"config":          {{"Where do the team's own limits go?", "config init"}},
	"config init":     {{"Where do the team's own limits go?", "config init rdblens.yaml"}},
	"config check":    {{"Is the configuration right?", "config check rdblens.yaml"}},
	"config suggest":  {{"Which configuration fits this keyspace?", "config suggest dump.rdb > rdblens.yaml"}},
	"config show":     {{"Which settings are in force, and where are they from?", "config show"}},
	"config schema":   {{"How does an editor check the configuration?", "config schema > rdblens.schema.json"}},
	"baseline":        {{"How are known problems accepted?", "baseline create -o baseline.yaml dump.rdb"}},
	"baseline create": {{"How are known problems accepted?", "baseline create -o baseline.yaml dump.rdb"}},
	"baseline update": {{"What else is accepted now?", "baseline update -o baseline.yaml dump.rdb"}},
	"baseline prune":  {{"Which accepted problems are gone?", "baseline prune -o baseline.yaml dump.rdb"}},
	"baseline show":   {{"What was accepted?", "baseline show baseline.yaml"}},
	"schema":          {{"Which fields does the JSON report have?", "schema > report.schema.json"}},
	"version":         {{"Which build is this?", "version"}},
}
