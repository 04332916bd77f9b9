package main

import (
	"context"
	"errors"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/report"
)

// scanInputs scans the inputs. The error is one of an option: what was wrong with
// an input is in the failures, and in its row of the report.
func (e *env) scanInputs(ctx context.Context, p *scanPlan, list []*input) (*report.Report, *failures, error) {
	options := p.options
	if p.filter.active() {
		options.Filter = p.filter.text
		options.Keep = func(k *parser.Key, owner string) bool { return p.filter.keep(k) && p.filter.keepOwner(owner) }
	}
	var sources []report.Source
	for _, in := range list {
		sources = append(sources, in.reportSource(e.stdin))
	}
	r, err := report.Scan(ctx, sources, p.policy, options)
	bad := new(failures)
	var failed report.ScanError
	if errors.As(err, &failed) {
		for _, f := range failed {
			bad.add(f.Name, f.Keys, f.Err)
		}
		err = nil
	}
	return r, bad, err
}
