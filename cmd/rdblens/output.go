package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rdblens/rdblens/report"
)

// fileFormats tells the format of a file whose name alone was given, by its
// extension.
var fileFormats = map[string]string{
	".json": "json", ".csv": "csv", ".txt": "table", ".md": "markdown", ".html": "html", ".htm": "html", ".prom": "prom",
}

// targetsOf reads the values of --format: a format (to standard output),
// FORMAT=PATH, or a file whose name tells the format. A format that is named
// like a file (findings.csv) goes to the file of that name where it is not alone
// on standard output.
func targetsOf(values []string) ([]report.Target, error) {
	if len(values) == 0 {
		values = []string{"table"}
	}
	known := report.Formats()
	specs := make([]string, len(values))
	onStdout := 0
	for i, v := range values {
		specs[i] = v
		switch {
		case strings.Contains(v, "="):
		case slices.Contains(known, v):
			onStdout++
		default:
			if format := fileFormats[filepath.Ext(v)]; slices.Contains(known, format) {
				specs[i] = format + "=" + v
			}
		}
	}
	for i, v := range specs {
		if onStdout > 1 && slices.Contains(known, v) && filepath.Ext(v) != "" {
			specs[i] = v + "=" + v
		}
	}
	targets, err := report.ParseTargets(specs)
	if err != nil {
		return nil, usageError("--format: "+err.Error(), "-f table -f json=report.json -f findings.csv")
	}
	return targets, nil
}

// outputError is a failure to write a result; nil stays nil.
func outputError(err error) error {
	if err == nil {
		return nil
	}
	var known *report.OutputError
	if errors.As(err, &known) {
		return &exitError{code: exitUsage, err: err, hint: known.Hint}
	}
	return &exitError{code: exitUsage, err: fmt.Errorf("cannot write standard output: %w", err)}
}
