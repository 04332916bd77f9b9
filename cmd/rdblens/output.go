package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

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
	if err == nil {
		return nil
	}
	var known *report.OutputError
	if errors.As(err, &known) {
		exit := &exitError{code: exitUsage, err: err, hint: known.Hint}
		if errors.Is(err, report.ErrOwnInput) {
			exit.hint = "write to another file"
		}
		return exit
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err // it names a descriptor
	}
	exit := &exitError{code: exitUsage, err: fmt.Errorf("cannot write standard output: %w", err)}
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		exit.hint = "make room on the disk, or write elsewhere"
	}
	return exit
}
