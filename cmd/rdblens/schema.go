package main

import (
	"github.com/spf13/cobra"

	"github.com/rdblens/rdblens/report"
)

func newSchema(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of the JSON report",
		Args:  exactly(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			_, err := e.stdout.Write(report.Schema)
			return outputError(err)
		},
	}
}
