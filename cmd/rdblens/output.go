package main

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report"
)

type outputFlags struct {
	targets    []report.Target
	details    bool
	color      string
	limitBytes int
}

func (o *outputFlags) register(cmd *cobra.Command, formats []string) {
	o.targets = []report.Target{{Format: "table"}}
	var values []string
	usage := "format, FORMAT=FILE, or the name of a file that ends like a format; can be repeated"
	if !strings.Contains(cmd.Long, "Formats:") {
		usage += ": {list}"
	}
	option{name: "format", short: "f", arg: "FORMAT", value: "table", usage: usage, list: strings.Join(formats, ", "),
		words: formats, hint: "formats: {names}; -f table -f json=report.json", set: func(arg string) (err error) {
			values = append(values, arg)
			o.targets, err = report.ParseTargets(values)
			for _, t := range o.targets {
				if err == nil && !slices.Contains(formats, t.Format) {
					err = message.Errorf("{code} has no format {name}", message.Code("code", cmd.CommandPath()),
						message.Element("name", t.Format))
				}
			}
			return err
		}}.add(cmd)
	cmd.Flags().BoolVar(&o.details, "details", false, "all tables instead of one screen: -f details in place of -f table")
	words := []string{"auto", "always", "never"}
	option{name: "color", arg: "WHEN", value: "auto",
		usage: "colour severities on standard output: auto (on a terminal, unless NO_COLOR is set), always or never",
		words: words, hint: "auto, always or never", set: oneOf(&o.color, "word", words)}.add(cmd)
	option{name: "limit-bytes", arg: "N", value: strconv.Itoa(report.DefaultLimitBytes),
		usage: "bytes of a ticket (-f markdown), which leaves out what is least important",
		hint:  "a comment on GitHub takes 65536, Jira 32767, WeCom 4096",
		set:   wholeNumber(&o.limitBytes, report.MinLimitBytes, math.MaxInt32)}.add(cmd)
}

func (o *outputFlags) writeOptions(e *env, started time.Time) report.WriteOptions {
	for i := range o.targets {
		if o.details && o.targets[i].Format == "table" {
			o.targets[i].Format = "details"
		}
	}
	columns, lines := terminalSize(e.stdout)
	return report.WriteOptions{Width: columns, Height: lines, Language: e.language,
		Color: o.color == "always" || o.color != "never" && takesColor(e.stdout), Now: now(), Elapsed: time.Since(started),
		LimitBytes: o.limitBytes, Command: e.commandLine()}
}
