package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report"
	"github.com/rdblens/rdblens/report/text"
)

// maxParts is the number of owners or prefixes that have reports of their own: each takes as
// much memory as a report of all keys.
const maxParts = 64

type partReports struct {
	dir  string
	what string // "owner" or "prefix"
	list []partReport
}

type partReport struct {
	part, file string // file is the name without its extension
	*report.Report
}

func (o *scanFlags) setParts(arg string) error {
	part, dir, _ := strings.Cut(arg, "=")
	o.partsDir, o.segments = dir, 0
	number, byPrefix := strings.CutPrefix(part, "prefix:")
	switch {
	case dir == "" || !byPrefix && part != "owner":
		return message.Errorf("{name} is neither owner=DIR nor prefix:N=DIR", message.Element("name", arg))
	case byPrefix:
		return wholeNumber(&o.segments, 1, report.MaxSegments-1)(number)
	}
	return nil
}

// splitParts prepares the reports of parts, nil if they are not asked for. Prefixes are those of a
// scan of its own.
func (e *env) splitParts(ctx context.Context, o *scanFlags, list []*input) (*partReports, error) {
	if o.partsDir == "" {
		return nil, nil
	}
	reports := &partReports{dir: o.partsDir, what: "owner"}
	n := len(o.policy.Owners()) - 1
	switch {
	case o.segments > 0 && slices.Contains(paths(list), "-"):
		return nil, usageError("--split-by prefix reads a snapshot twice: standard input can be " +
			"read once").withHint("save it to a file first")
	case o.segments > 0:
		reports.what = "prefix"
		options := o.options(report.Options{TreeNodes: maxTreeNodes})
		r, bad, err := e.scanSources(ctx, o.policy, list, options)
		if err != nil {
			return nil, err
		}
		if bad.unread == len(list) {
			return nil, nil // the scan that follows says why
		}
		if o.Prefixes = r.Prefixes(o.segments, maxParts-1); o.Prefixes == nil {
			return nil, usageError("--split-by: no prefix has {n}", message.Number("n", int64(o.segments), "1 segment",
				"{n} segments")).withHint("rdblens scan --depth N shows prefixes")
		}
	case n == 0:
		return nil, usageError("--split-by: the configuration names no owners").withHint("namespaces: {cart: {owner: checkout}}")
	case n >= maxParts:
		return nil, usageError("--split-by: {n} owners are too many", message.Int("n", int64(n))).withHint("at most {n}",
			message.Int("n", maxParts-1))
	}
	if err := os.MkdirAll(o.partsDir, 0o777); err != nil {
		return nil, &exitError{code: exitUsage, err: err}
	}
	o.Part = func(part string, r *report.Report) {
		if by := o.redactor(); by != nil {
			part, r = by.Text(part), r.Redacted(by)
		}
		reports.list = append(reports.list, partReport{part, reports.fileName(part), r})
	}
	return reports, nil
}

// fileName returns a file name for an owner or a prefix that no other has, whatever its
// characters and the case of its letters.
func (s *partReports) fileName(part string) string {
	if part == "" {
		part = "no-owner"
	}
	name := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return '_'
	}, part)
	name = string([]rune(name)[:min(len([]rune(name)), 60)])
	unique := name
	for n := 2; ; n++ {
		taken := strings.EqualFold(unique, "README")
		for _, o := range s.list {
			taken = taken || strings.EqualFold(o.file, unique)
		}
		if !taken {
			return unique
		}
		unique = fmt.Sprintf("%s-%d", name, n)
	}
}

// write writes each report in the formats of the targets, and then the index.
func (s *partReports) write(targets []report.Target, inputs []string, all *report.Report,
	write report.WriteOptions) error {
	var index strings.Builder
	index.WriteString("# Reports by " + s.what + "\n\n| " + s.what +
		" | keys | memory | no TTL | errors | warnings | info | reports |\n|---|---:|---:|---:|---:|---:|---:|---|\n")
	keys := all.Totals.Keys
	for _, o := range s.list {
		var own []report.Target
		var links []string
		for _, t := range targets {
			if t.Format == "shard" {
				continue // that is of all keys
			}
			name := o.file + extensionOf(t.Format)
			own = append(own, report.Target{Format: t.Format, Path: filepath.Join(s.dir, name)})
			links = append(links, "["+t.Format+"](<"+name+">)")
		}
		if err := report.WriteAll(own, nil, inputs, o.Report, write); err != nil {
			return err
		}
		part, memory := "(no owner)", "unknown"
		if o.part != "" {
			part = text.MarkdownCode(text.Display([]byte(o.part)))
		}
		if o.Totals.MemoryBytes.Known() {
			memory = message.FormatBytes(int64(o.Totals.MemoryBytes))
		}
		fmt.Fprintf(&index, "| %s | %s | %s | %s | %d | %d | %d | %s |\n", part, message.FormatCount(o.Totals.Keys), memory,
			message.FormatPercent(float64(o.Totals.WithoutTTL)/float64(o.Totals.Keys)), o.Findings.Error, o.Findings.Warning,
			o.Findings.Info, strings.Join(links, ", "))
		keys -= o.Totals.Keys
	}
	if s.what == "prefix" && keys > 0 {
		fmt.Fprintf(&index, "| everything else | %s | | | | | | |\n", message.FormatCount(keys))
	}
	f, err := report.CreateFile(filepath.Join(s.dir, "README.md"), inputs)
	if err != nil {
		return err
	}
	defer f.Abort()
	_, err = f.Write([]byte(index.String()))
	return errors.Join(err, f.Commit())
}

// extensionOf returns the end of a file's name in a format.
func extensionOf(format string) string {
	f, _ := report.Lookup(format)
	switch {
	case f.Extension != "":
		return f.Extension
	case strings.Contains(f.Name, "."):
		return "." + f.Name
	}
	return "." + f.Name + ".txt"
}
