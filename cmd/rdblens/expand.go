package main

import (
	"bufio"
	"cmp"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
)

// maxInputs bounds the snapshots of one command, since each has a row in the
// report.
const maxInputs = 100_000

type expandFlags struct {
	recursive   bool  // directories include those below them
	maxDownload int64 // bytes of a URL at most; 0 is defaultDownload
}

func (x *expandFlags) register(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&x.recursive, "recursive", "r", false, "look in subdirectories, too")
}

const defaultDownload = 100 << 30

type inputKind struct {
	name, names string                               // "snapshot", "snapshots"
	extension   string                               // of files that are named even if they are none
	open        func(path string) (io.Closer, error) // fails with a *parser.FormatError on other files
}

var snapshots = inputKind{"snapshot", "snapshots", ".rdb",
	func(path string) (io.Closer, error) { return parser.Open(path) }}

type expander struct {
	env *env
	expandFlags
	what  inputKind
	stdin bool // it is read already
	list  []*input
}

// inputs returns the snapshots that the arguments of a command stand for: a file,
// "-", an https URL, a directory, a glob, a list of arguments (@FILE), or one of
// these with a label in front (LABEL=PATH). A name that exists as it is written is
// always that file.
func (e *env) inputs(args []string, flags expandFlags) ([]*input, error) {
	list, err := e.expand(args, flags, snapshots)
	return e.withShards(list), err
}

func (e *env) expand(args []string, flags expandFlags, what inputKind) ([]*input, error) {
	x := &expander{env: e, expandFlags: flags, what: what}
	for _, arg := range args {
		if err := x.argument(arg); err != nil {
			return nil, err
		}
	}
	for _, in := range x.list {
		in.warn = e.warn
	}
	return x.list, nil
}

func (x *expander) argument(arg string) error {
	list, isList := strings.CutPrefix(arg, "@")
	if !isList || exists(arg) {
		return x.labelled(arg)
	}
	in, err := x.openList(list)
	if err != nil {
		reason, hint := unread(err)
		return &exitError{code: exitUsage, err: inputError(list, reason), hint: hint}
	}
	defer in.Close()
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		if err := x.labelled(line); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return (&exitError{code: exitUsage,
			err: inputError(list, message.Of(err))}).withHint("a list has one snapshot a line")
	}
	return nil
}

func (x *expander) openList(path string) (io.ReadCloser, error) {
	if path != "-" {
		return os.Open(path)
	}
	if err := x.takeStdin(); err != nil {
		return nil, err
	}
	return io.NopCloser(x.env.stdin), nil
}

func (x *expander) takeStdin() error {
	if x.stdin {
		return usageError("standard input can be read only once")
	}
	x.stdin = true
	return nil
}

// labelled adds the snapshots of an argument that is not a list.
func (x *expander) labelled(arg string) error {
	label, path, ok := strings.Cut(arg, "=")
	if !ok || label == "" || path == "" || strings.ContainsAny(label, `/\`) || exists(arg) {
		label, path = "", arg
	}
	return x.path(label, path)
}

// path adds the snapshots of a path. A label is the name of a file in the report,
// and the directory of several files.
func (x *expander) path(label, path string) error {
	st, err := os.Stat(path)
	switch {
	case err == nil && st.IsDir():
		return x.directory(label, path)
	case err == nil && x.what.name == snapshots.name && strings.HasSuffix(path, manifestEnd):
		return x.manifest(label, path)
	case err != nil && !exists(path) && strings.ContainsAny(path, "*?[") && !isURL(path):
		matches, err := filepath.Glob(path)
		if err != nil {
			return inputFailed(exitUsage, path, "this is neither a file nor a valid glob")
		}
		for _, match := range matches {
			name := label
			if label != "" {
				name = label + "/" + filepath.Base(match)
			}
			if err := x.path(name, match); err != nil {
				return err
			}
		}
		if matches != nil {
			return nil
		}
	}
	return x.add(label, path, nil)
}

// manifest adds the base of an append-only file.
func (x *expander) manifest(label, path string) error {
	m, err := readManifest(path)
	switch {
	case err != nil:
		return x.add(label, path, err)
	case m.base == "":
		return x.add(label, path, message.Errorf("the manifest lists no base: there are commands alone"))
	}
	return x.add(label, m.base, nil)
}

// directory adds the files in a directory that are snapshots by their magic bytes,
// in the order of their names, and those that end in .rdb, so that a broken one is
// named. Links to files are followed, links to directories are not.
func (x *expander) directory(label, path string) error {
	before, others := len(x.list), int64(0)
	listed := make(map[string]bool) // by a manifest; true: a base
	err := filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			if entry == nil {
				return err
			}
			return x.add(label, file, err)
		}
		if entry.IsDir() {
			if file != path && !x.recursive {
				others++
				return fs.SkipDir
			}
			for _, m := range manifestsIn(file) {
				for _, f := range slices.Concat(m.later, m.old) {
					listed[f] = false
				}
				if m.base != "" {
					listed[m.base] = true
					if !exists(m.base) {
						return x.add("", m.base, nil)
					}
				}
			}
			return nil
		}
		base, found := listed[file]
		if found && !base || strings.HasSuffix(file, manifestEnd) {
			return nil
		}
		if st, err := os.Stat(file); err != nil || !st.Mode().IsRegular() {
			others++
			return nil
		}
		if src, err := x.what.open(file); err == nil {
			src.Close()
		} else if _, foreign := err.(*parser.FormatError); foreign && !base && filepath.Ext(file) != x.what.extension {
			others++
			return nil
		}
		name := ""
		if below, err := filepath.Rel(path, file); err == nil && label != "" {
			name = label + "/" + filepath.ToSlash(below)
		}
		return x.add(name, file, nil)
	})
	if err != nil {
		return x.add(label, path, err)
	}
	found := int64(len(x.list) - before)
	if found == 0 {
		hint := "name the file itself to learn why it is none"
		if !x.recursive {
			hint = "--recursive looks below it"
		}
		return x.add(label, path, message.Errorf("no "+x.what.name+" in this directory").WithHint(hint))
	}
	if others > 0 {
		x.env.complain(message.Errorf("{file}: {count}, {entries} left out", message.Path("file", path),
			message.Number("count", found, "1 "+x.what.name, "{n} "+x.what.names),
			message.Number("entries", others, "1 other entry", "{n} other entries")), message.Message{})
	}
	return nil
}

// add adds one snapshot. If err is not nil, opening it fails with that.
func (x *expander) add(label, path string, err error) error {
	if path == "-" {
		if err := x.takeStdin(); err != nil {
			return err
		}
	}
	if len(x.list) == maxInputs {
		return usageError("more than {count}", message.Number("count", maxInputs, "",
			"{n} "+x.what.names)).withHint("take parts of them, and merge what comes of these")
	}
	in := &input{name: label, path: path, size: -1, limit: cmp.Or(x.maxDownload, defaultDownload), failed: err}
	if label == "" {
		in.name = withoutSecrets(path)
	}
	in.later = laterOf(path)
	if st, err := in.stat(x.env.stdin); err == nil && st.Mode().IsRegular() {
		in.size = st.Size()
	}
	x.list = append(x.list, in)
	return nil
}

// exists reports whether a file has this name as it is written.
func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// paths returns the paths of inputs, which no output may replace.
func paths(list []*input) []string {
	var paths []string
	for _, in := range list {
		paths = append(paths, in.path)
	}
	return paths
}
