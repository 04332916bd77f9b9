package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/rdblens/rdblens/thresholds"
)

// completer returns the possible values of an argument that begins with begun.
type completer = func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective)

// completeWords returns a completer of words, also for the last word of a list with
// commas.
func completeWords(words ...string) completer {
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		return beginningWith(begun, words), cobra.ShellCompDirectiveNoFileComp
	}
}

func beginningWith(begun string, words []string) []string {
	before := begun[:strings.LastIndexByte(begun, ',')+1]
	if strings.HasPrefix(begun[len(before):], "-") {
		before += "-" // a rule that is excluded
	}
	var list []string
	for _, w := range words {
		if strings.HasPrefix(before+w, begun) {
			list = append(list, before+w)
		}
	}
	return list
}

func selectors() []string { return append([]string{"all"}, thresholds.RuleNames()...) }
