package main

import (
	"cmp"
	"slices"

	"github.com/spf13/cobra"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report"
	"github.com/rdblens/rdblens/report/text"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/config"
)

// sourceFlags say where the source code is that writes the keys.
type sourceFlags struct {
	dirs []string
	url  string // of a line, "" none
}

func (f *sourceFlags) register(cmd *cobra.Command) {
	option{name: "source", arg: "DIR", usage: "directory with source code: name the lines that likely write the keys of " +
		"each group; can be repeated, see rdblens source",
		set: func(arg string) error {
			f.dirs = append(f.dirs, arg)
			return textOf(new(string))(arg)
		}}.add(cmd)
	option{name: "source-url", arg: "URL",
		usage: "address of a line of source code, with {path} and {line}, such as " + config.SourceURL,
		hint:  "write {names}", names: config.SourceURL, set: checkedText(&f.url, config.CheckSourceURL)}.add(cmd)
}

// finder reads the source code that the flags or the configuration name, nil if there is none.
func (e *env) finder(f *sourceFlags, policy *thresholds.Policy) (*report.SourceFinder, error) {
	finder := &report.SourceFinder{URL: cmp.Or(f.url, policy.SourceURL.Value)}
	for _, dir := range f.dirs {
		c, err := readSource(dir)
		if err != nil {
			return nil, err
		}
		finder.Checkouts = append(finder.Checkouts, c)
	}
	if f.dirs == nil {
		for _, dir := range policy.CodeDirs {
			if c, err := readSource(dir.Value); err == nil {
				finder.Checkouts = append(finder.Checkouts, c)
			} else { // the configuration may be read where there is no checkout
				e.warn(message.New("{origin}: source: {problem}", message.Phrase("origin", dir.Origin.Message()),
					message.Reason("problem", err)))
			}
		}
	}
	switch {
	case finder.Checkouts != nil:
		return finder, nil
	case f.url != "":
		return nil, usageError("--source-url needs --source").withHint("--source DIR")
	}
	return nil, nil
}

// source names the lines of source code that write the keys below a node, of the groups with
// most memory first.
func (b *browser) source(p *panelText, n *report.TreeNode) {
	const most = 3
	var seen []string
	groups := b.groupsOf(n)
	for i := range b.report.Groups {
		g := &b.report.Groups[i]
		if len(g.Source) == 0 || slices.Contains(seen, g.Source[0].Place()) || !groups[g.Group] {
			continue
		}
		if seen = append(seen, g.Source[0].Place()); len(seen) > most {
			break
		}
		line := report.WithSource(message.New("{group}:", message.Name("group", string(g.Group))), g.Owner, g.Source, true)
		p.add(styleText, "", "  ", b.env.line(line))
		p.add(styleDim, "  ", "    ", text.Sanitize(g.Source[0].Text))
	}
}
