package main

import (
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report"
	"github.com/rdblens/rdblens/thresholds/naming"
)

type trendFlags struct {
	outputFlags
	maxMemory int64
	top       int
}

// maxTrendReports bounds the reports of a trend: ten years of nights.
const maxTrendReports = 4000

func newTrend(e *env) *cobra.Command {
	var o trendFlags
	cmd := &cobra.Command{
		Use:   "trend REPORT...",
		Short: "Show how memory grows over saved reports, and when it is full",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError("no report given").withHint("rdblens scan -f json=report.json dump.rdb saves one")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return e.trend(&o, args) },
	}
	o.outputFlags.register(cmd, report.TrendFormatNames())
	option{name: "maxmemory", arg: "SIZE", usage: "the server's limit (default what the last report was made with)",
		hint: "write {names}", names: "512MB or 4GB", set: sizeOf(&o.maxMemory, 1)}.add(cmd)
	o.top = 10
	option{name: "top", arg: "N", value: "10", usage: "groups that are shown: those with most memory in the last report",
		set: wholeNumber(&o.top, 0, report.MaxTrendGroups)}.add(cmd)
	return cmd
}

func (e *env) trend(o *trendFlags, args []string) error {
	paths, err := reportPaths(args)
	if err != nil {
		return err
	}
	if err := report.CheckTargets(o.targets, paths); err != nil {
		return outputError(err)
	}
	started := time.Now()
	var b report.TrendBuilder
	for _, path := range paths {
		r, err := e.savedReport(&input{path: path, size: -1})
		switch {
		case err != nil:
			return &exitError{code: exitUsage, err: inputError(path, message.Of(err))}
		case r == nil:
			return inputFailed(exitUsage, path, "not a saved report").withHint("rdblens scan -f json=report.json writes one")
		}
		if err := b.Add(path, r); err != nil {
			return &exitError{code: exitUsage, err: inputError(path, message.Of(err))}
		}
	}
	err = report.WriteAll(o.targets, e.stdout, paths, b.Trend(o.maxMemory, o.top), o.writeOptions(e, started))
	if closedPipe(err) {
		return nil
	}
	return outputError(err)
}

func reportPaths(args []string) (paths []string, err error) {
	for _, arg := range args {
		st, err := os.Stat(arg)
		switch {
		case err != nil:
			return nil, &exitError{code: exitUsage, err: err}
		case !st.IsDir():
			paths = append(paths, arg)
			continue
		}
		found := len(paths)
		for _, end := range []string{".json", ".json.gz", ".json.zst"} {
			list, _ := filepath.Glob(filepath.Join(naming.EscapeGlob(arg), "*"+end))
			paths = append(paths, list...)
		}
		if found == len(paths) {
			return nil, usageError("{file} has no reports",
				message.Path("file", arg)).withHint("reports are files that end in .json, .json.gz or .json.zst")
		}
	}
	if len(paths) > maxTrendReports {
		return nil, usageError("{n} reports are too many", message.Int("n", int64(len(paths)))).withHint("at most {n}",
			message.Int("n", maxTrendReports))
	}
	return paths, nil
}
