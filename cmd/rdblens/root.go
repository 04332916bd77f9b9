package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
)

// newRoot returns the command tree.
func newRoot(e *env) *cobra.Command {
	root := &cobra.Command{
		Use:   "rdblens",
		Short: "Read Redis and Valkey snapshots offline and check every key against a rule profile",
		Long: `rdblens reads Redis and Valkey snapshots (dump.rdb) offline, in one pass with
bounded memory, checks every key against a rule profile, and writes a report.

Exit codes: 0 done; 1 what a --fail-on flag names; 2 usage error, or nothing
could be read or written; 3 the snapshot is damaged or the pass was interrupted,
and the report covers what was read.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       toolVersion(),
	}
	root.SetIn(e.stdin)
	root.SetOut(&e.help)
	root.SetErr(e.stderr)
	root.SetVersionTemplate(versionLine())
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(newScan(e), newMerge(e), newDiff(e), newTrend(e), newKeys(e), newShow(e), newIdentify(e), newRules(e), newConfig(e), newBaseline(e), newSchema(e), newVersion(e))
	root.InitDefaultCompletionCmd()
	e.addLanguage(root)
	for _, c := range append(root.Commands(), root) {
		if c.HasSubCommands() {
			c.Args, c.RunE = cobra.ArbitraryArgs, withoutCommand
		}
	}
	return root
}

// group returns a command that only has subcommands.
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
		return usageError(fmt.Sprintf("%q is no command", args[0]), "rdblens scan "+strings.Join(args, " "))
	}
	return unknownCommand(cmd, args[0])
}

func unknownCommand(cmd *cobra.Command, name string) error {
	hint := cmd.CommandPath() + " --help"
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(name); len(near) > 0 {
		hint = fmt.Sprintf("did you mean %s %s?", cmd.CommandPath(), near[0])
	}
	return usageError(fmt.Sprintf("unknown command %q", name), hint)
}

// exactly requires n arguments, which what describes.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == n {
			return nil
		}
		return usageError(fmt.Sprintf("%s takes %s, got %d arguments", cmd.CommandPath(), what, len(args)), cmd.UseLine())
	}
}

// atLeastOneFile requires a snapshot to read.
func atLeastOneFile(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return nil
	}
	return usageError("no snapshot given", cmd.CommandPath()+" dump.rdb (- is standard input)")
}
