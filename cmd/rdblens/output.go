package main

import (
	"errors"

	"github.com/rdblens/rdblens/report"
)

// outputError is a failure to write a result; nil stays nil.
func outputError(err error) error {
	var known *report.OutputError
	if errors.As(report.StdoutError(err), &known) {
		return &exitError{code: exitUsage, err: known, hint: known.Hint}
	}
	return nil
}
