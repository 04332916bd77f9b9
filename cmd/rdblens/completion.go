package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/rdblens/rdblens/thresholds"
)

func newCompletion(e *env) *cobra.Command {
	shell := func(name, how string, write func(root *cobra.Command) error) *cobra.Command {
		return &cobra.Command{
			Use:   name,
			Short: "Completion for " + name + ": " + how,
			Args:  cobra.NoArgs,
			RunE: func(cmd *cobra.Command, args []string) error {
				return outputError(write(cmd.Root()))
			},
		}
	}
	return group("completion", "Print the completion script of a shell: commands, flags, profiles and rules",
		shell("bash", "source <(rdblens completion bash)", func(root *cobra.Command) error { return root.GenBashCompletionV2(e.stdout, true) }),
		shell("zsh", "rdblens completion zsh > \"${fpath[1]}/_rdblens\"", func(root *cobra.Command) error { return root.GenZshCompletion(e.stdout) }),
		shell("fish", "rdblens completion fish | source", func(root *cobra.Command) error { return root.GenFishCompletion(e.stdout, true) }),
		shell("powershell", "rdblens completion powershell | Out-String | Invoke-Expression", func(root *cobra.Command) error { return root.GenPowerShellCompletionWithDesc(e.stdout) }),
	)
}

// completer proposes what an argument or a flag's value may be.
type completer = func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective)

// completeWords proposes words, also as the last of a list with commas.
func completeWords(words ...string) completer {
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		return beginningWith(begun, words), cobra.ShellCompDirectiveNoFileComp
	}
}

func beginningWith(begun string, words []string) []string {
	before := begun[:strings.LastIndexByte(begun, ',')+1]
	if strings.HasPrefix(begun[len(before):], "-") {
		before += "-" // a rule that is left out
	}
	var list []string
	for _, w := range words {
		if strings.HasPrefix(before+w, begun) {
			list = append(list, before+w)
		}
	}
	return list
}

// selectors returns the words of a list of rules.
func selectors() []string { return append([]string{"all"}, ruleNames()...) }

func ruleNames() []string {
	var names []string
	for _, r := range thresholds.Rules() {
		names = append(names, r.Name)
	}
	return names
}
