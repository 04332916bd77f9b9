package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
)

// Dragonfly saves a file for each of its shards, NAME-0000.dfs and so on, and
// NAME-summary.dfs, which has no keys and says how many there are. Whoever names the
// summary means the set.

const (
	summaryEnd = "-summary.dfs"
	// maxShards bounds the shards of a set: a server has one for each of its threads.
	maxShards = 4096
)

type shardSet struct {
	summary string // path
	id      string // snapshot-id of the summary, "" unknown
}

// fileSet returns the shards of a set by the path of its summary; none if the path is
// that of no summary. Nothing is known of those that are missing.
func fileSet(summary string) (paths []string, set *shardSet) {
	name, ok := strings.CutSuffix(summary, summaryEnd)
	if !ok {
		return nil, nil
	}
	aux := dragonflyHeader(summary)
	n, err := strconv.Atoi(aux["shard-count"])
	if err != nil {
		return nil, nil
	}
	for i := range min(n, maxShards) {
		paths = append(paths, fmt.Sprintf("%s-%04d.dfs", name, i))
	}
	return paths, &shardSet{summary, aux["snapshot-id"]}
}

// dragonflyHeader returns the fields of the header of a file of Dragonfly's, nil if
// it is none.
func dragonflyHeader(path string) map[string]string {
	if st, err := os.Stat(path); err != nil || !st.Mode().IsRegular() {
		return nil
	}
	src, err := parser.Open(path)
	if err != nil {
		return nil
	}
	defer src.Close()
	info := parser.NewScanner(src, parser.Options{}).Info()
	if info.Server != "dragonfly" {
		return nil
	}
	aux := make(map[string]string)
	for _, a := range info.Aux {
		aux[a.Name] = a.Value
	}
	return aux
}

// withShards returns the inputs of a command line, with the shards of each set
// after its summary. Shards that are named besides are not read twice.
func (e *env) withShards(list []*input) []*input {
	var out []*input
	named := func(path string) bool {
		return slices.ContainsFunc(list, func(in *input) bool { return filepath.Clean(in.path) == filepath.Clean(path) })
	}
	for _, in := range list {
		out = append(out, in)
		shards, set := fileSet(in.path)
		for _, path := range shards {
			if named(path) {
				continue
			}
			shard := &input{name: path, path: path, size: -1, shard: set, failed: set.check(path)}
			if in.name != in.path { // a label
				shard.name = in.name + "/" + filepath.Base(path)
			}
			if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() {
				shard.size = st.Size()
			}
			out = append(out, shard)
		}
		if summary, ok := summaryOf(in.path); ok && !named(summary) && dragonflyHeader(in.path)["shard-id"] != "" {
			e.complain(inputError(in.name, message.New("this is one shard of a snapshot of Dragonfly")),
				message.New("name {file} to read all of them", message.Path("file", summary)))
		}
	}
	return out
}

// withoutLost drops the shards of sets of which no shard is there: a summary alone
// has no rows.
func withoutLost(list []*input) []*input {
	there := make(map[*shardSet]bool)
	for _, in := range list {
		if in.shard != nil && in.size >= 0 {
			there[in.shard] = true
		}
	}
	return slices.DeleteFunc(list, func(in *input) bool { return in.shard != nil && !there[in.shard] })
}

// summaryOf returns the path of the summary beside a shard. ok is false for a path
// that is no shard's.
func summaryOf(shard string) (summary string, ok bool) {
	name, ok := strings.CutSuffix(shard, ".dfs")
	i := strings.LastIndexByte(name, '-')
	if !ok || i < 0 || len(name)-i != len("-0000") {
		return "", false
	}
	_, err := strconv.ParseUint(name[i+1:], 10, 16)
	return name[:i] + summaryEnd, err == nil
}

// check returns why the file cannot be read as a part of the set, nil if it can.
func (s *shardSet) check(path string) error {
	summary := filepath.Base(s.summary)
	switch _, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return &parser.FormatError{Reason: message.New("this shard of {file} is missing", message.Path("file", summary)),
			Hint: message.New("copy all .dfs files of the snapshot into one directory")}
	case err != nil:
		return nil // opening it says why
	}
	if id := dragonflyHeader(path)["snapshot-id"]; id != "" && s.id != "" && id != s.id {
		return &parser.FormatError{Reason: message.New("this shard is of another snapshot than {file}", message.Path("file",
			summary)), Hint: message.New("copy all .dfs files of one snapshot, which have the same snapshot-id")}
	}
	return nil
}
