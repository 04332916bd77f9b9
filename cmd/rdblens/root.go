package main

import (
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rdblens/rdblens/parser/message"
)

func newRoot(e *env) *cobra.Command {
	root := &cobra.Command{
		Use:           "rdblens",
		Short:         "Read Redis and Valkey snapshots offline and check every key against a rule profile",
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       toolVersion(),
	}
	root.SetIn(e.stdin)
	root.SetOut(&e.help)
	root.SetErr(e.stderr)
	root.SetVersionTemplate(versionLine())
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(newScan(e), newBrowse(e), newMerge(e), newDiff(e), newTrend(e), newNightly(e), newKeys(e), newShow(e),
		newIdentify(e), newSource(e), newRules(e), newConfig(e), newBaseline(e),
		newSchema(e), newVersion(e))
	root.InitDefaultCompletionCmd()
	setHelp(root)
	e.addLanguage(root)
	for _, c := range append(root.Commands(), root) {
		if c.HasSubCommands() {
			if c.Args = cobra.ArbitraryArgs; c.RunE == nil {
				c.RunE = withoutCommand
			}
		}
	}
	return root
}

func group(use, short string, commands ...*cobra.Command) *cobra.Command {
	g := &cobra.Command{Use: use, Short: short}
	g.AddCommand(commands...)
	return g
}

// withoutCommand runs a command that only has subcommands: it prints help, or says
// which subcommand an argument may mean.
func withoutCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	if _, err := os.Stat(args[0]); !cmd.HasParent() && (err == nil || args[0] == "-") {
		return usageError("{name} is no command", message.Element("name", args[0])).withHint("rdblens scan {files}",
			message.Code("files", strings.Join(args, " ")))
	}
	return unknownCommand(cmd, args[0])
}

func unknownCommand(cmd *cobra.Command, name string) error {
	exit := usageError("unknown command {name}", message.Element("name", name))
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(name); len(near) > 0 {
		return exit.withHint("did you mean {name}?", message.Code("name", cmd.CommandPath()+" "+near[0]))
	}
	return exit.withHint(cmd.CommandPath() + " --help")
}

// exactly requires n arguments, which what describes.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == n {
			return nil
		}
		return usageError("{code} takes {what}, got {n}", message.Code("code", cmd.CommandPath()), message.Word("what", what),
			message.Number("n", int64(len(args)), "1 argument", "{n} arguments")).withHint(cmd.UseLine())
	}
}

func atLeastOneFile(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return nil
	}
	return usageError("no snapshot given").withHint("{code} (- is standard input)",
		message.Code("code", cmd.CommandPath()+" dump.rdb"))
}
