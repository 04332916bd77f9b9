package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report"
	"github.com/rdblens/rdblens/report/output"
	"github.com/rdblens/rdblens/report/text"
)

// maxOwners is the number of owners that have reports of their own: each takes as
// much memory as a report of all keys.
const maxOwners = 64

// ownerReports are the reports that --split-by asks for.
type ownerReports struct {
	dir  string
	list []ownerReport
}

type ownerReport struct {
	owner, file string // file is the name without its extension
	*report.Report
}

// splitOwners prepares the reports of owners, nil if they are not asked for.
func (o *scanFlags) splitOwners() (*ownerReports, error) {
	if o.ownersDir == "" {
		return nil, nil
	}
	switch n := len(o.policy.Owners()) - 1; {
	case n == 0:
		return nil, usageError("--split-by: the configuration names no owners").withHint("namespaces: {cart: {owner: checkout}}")
	case n >= maxOwners:
		return nil, usageError("--split-by: {n} owners are too many", message.Int("n", int64(n))).withHint("at most {n}", message.Int("n", maxOwners-1))
	}
	if err := os.MkdirAll(o.ownersDir, 0o777); err != nil {
		return nil, &exitError{code: exitUsage, err: err}
	}
	reports := &ownerReports{dir: o.ownersDir}
	o.Owner = func(owner string, r *report.Report) {
		if by := o.redactor(); by != nil {
			owner, r = by.Text(owner), r.Redacted(by)
		}
		reports.list = append(reports.list, ownerReport{owner, reports.fileName(owner), r})
	}
	return reports, nil
}

// fileName returns a file name for an owner that no other has, whatever its
// characters and the case of its letters.
func (s *ownerReports) fileName(owner string) string {
	if owner == "" {
		owner = "no-owner"
	}
	name := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return '_'
	}, owner)
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
func (s *ownerReports) write(targets []report.Target, inputs []string, write report.WriteOptions) error {
	var index strings.Builder
	index.WriteString("# Reports by owner\n\n| owner | keys | memory | no TTL | errors | warnings | info | reports |\n|---|---:|---:|---:|---:|---:|---:|---|\n")
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
		owner, memory := "(no owner)", "unknown"
		if o.owner != "" {
			owner = text.MarkdownCode(text.Display([]byte(o.owner)))
		}
		if o.Totals.MemoryBytes.Known() {
			memory = message.FormatBytes(int64(o.Totals.MemoryBytes))
		}
		fmt.Fprintf(&index, "| %s | %s | %s | %s | %d | %d | %d | %s |\n", owner, message.FormatCount(o.Totals.Keys), memory,
			message.FormatPercent(float64(o.Totals.WithoutTTL)/float64(o.Totals.Keys)), o.Findings.Error, o.Findings.Warning, o.Findings.Info, strings.Join(links, ", "))
	}
	f, err := output.Create(filepath.Join(s.dir, "README.md"), inputs)
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
