package main

import (
	"github.com/spf13/cobra"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report"
)

func newSchema(e *env) *cobra.Command {
	return &cobra.Command{
		Use:       "schema [report|diff]",
		Short:     "Print the JSON Schema of the JSON report, or of a diff",
		ValidArgs: []string{"report", "diff"},
		Args:      cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			schema := report.Schema
			if len(args) > 0 {
				switch args[0] {
				case "report":
				case "diff":
					schema = report.DiffSchema
				default:
					return usageError("no schema {name}",
						message.Element("name", args[0])).withHint("rdblens schema report or rdblens schema diff")
				}
			}
			_, err := e.stdout.Write(schema)
			return outputError(err)
		},
	}
}
