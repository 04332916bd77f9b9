package main

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rdblens/rdblens/report"
)

// fileFormats tells the format of a file whose name alone was given, by its
// extension.
var fileFormats = map[string]string{
	".json": "json", ".csv": "csv", ".txt": "table",
}

// targetsOf reads the values of --format: a format (to standard output),
// FORMAT=PATH, or a file whose name tells the format. A format that is named
// like a file (findings.csv) goes to the file of that name where others are asked
// for beside it.
func targetsOf(values []string) ([]report.Target, error) {
	if len(values) == 0 {
		values = []string{"table"}
	}
	known := report.Formats()
	specs := make([]string, len(values))
	for i, v := range values {
		specs[i] = v
		switch {
		case strings.Contains(v, "="):
		case slices.Contains(known, v):
			if len(values) > 1 && filepath.Ext(v) != "" {
				specs[i] = v + "=" + v
			}
		case slices.Contains(known, filepath.Base(v)) && filepath.Ext(v) != "":
			specs[i] = filepath.Base(v) + "=" + v
		default:
			if format := fileFormats[filepath.Ext(v)]; slices.Contains(known, format) {
				specs[i] = format + "=" + v
			}
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
	var known *report.OutputError
	if errors.As(report.StdoutError(err), &known) {
		return &exitError{code: exitUsage, err: known, hint: known.Hint}
	}
	return nil
}
