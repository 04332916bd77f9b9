package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/codebase"
)

// sourceFlags say where the source code is that writes the keys.
type sourceFlags struct {
	dirs []string
	url  string // of a line, "" none
}

// register declares the flags.
func (f *sourceFlags) register(cmd *cobra.Command) {
	option{name: "source", arg: "DIR", usage: "directory with source code: name the lines that likely write the keys of each group; can be repeated, see rdblens source",
		set: func(arg string) error {
			f.dirs = append(f.dirs, arg)
			return textOf(new(string))(arg)
		}}.add(cmd)
	option{name: "source-url", arg: "URL", usage: "address of a line of source code, with {path} and {line}, such as https://git.example/shop/blob/main/{path}#L{line}",
		hint: "write {names}", names: "https://git.example/shop/blob/main/{path}#L{line}", set: func(arg string) error {
			if !strings.HasPrefix(arg, "https://") && !strings.HasPrefix(arg, "http://") || !strings.Contains(arg, "{path}") {
				return message.Errorf("{url} is no address with {hole}", message.Element("url", arg), message.Code("hole", "{path}"))
			}
			return textOf(&f.url)(arg)
		}}.add(cmd)
}

// finder reads the source code, nil if none is given.
func (f *sourceFlags) finder() (*codebase.Finder, error) {
	if len(f.dirs) == 0 {
		if f.url != "" {
			return nil, usageError("--source-url needs --source").withHint("--source DIR")
		}
		return nil, nil
	}
	finder := &codebase.Finder{URL: f.url}
	for _, dir := range f.dirs {
		c, err := readSource(dir)
		if err != nil {
			return nil, err
		}
		finder.Checkouts = append(finder.Checkouts, c)
	}
	return finder, nil
}
