package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rdblens/rdblens/report"
	"github.com/rdblens/rdblens/thresholds/config"
)

// checkTargets compares what a report says of a target with what servers do: each is started
// with each snapshot below the directories. A snapshot that is said to be loaded must
// be loaded, and one that is said to be refused must be refused. It lists those of
// which the two differ.
func checkTargets(w io.Writer, servers []string, dirs ...string) error {
	if len(servers) == 0 {
		servers = installedServers()
	}
	var snapshots []string
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if ext := filepath.Ext(path); err == nil && d.Type().IsRegular() && (ext == ".rdb" || ext == ".bin" || ext == ".aof") {
				snapshots = append(snapshots, path)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	policy, err := config.Load(config.Options{})
	if err != nil {
		return err
	}
	wrong := 0
	for _, command := range servers {
		argv := strings.Fields(command)
		name, err := serverName(argv)
		if err != nil {
			return err
		}
		to, err := report.ParseTargetServer(name)
		if err != nil {
			return err
		}
		var loaded, refused, skipped int
		for _, path := range snapshots {
			r, err := report.Scan(context.Background(), []report.Source{report.FileSource(path)}, policy, report.Options{Target: to})
			if err != nil || r.Inputs[0].Target.Loads == "conditional" {
				skipped++ // damaged, or the server would have to be prepared
				continue
			}
			problems := r.Inputs[0].Target.Problems
			blocked := r.Inputs[0].Target.Loads == "no"
			why, err := refusal(argv, path)
			switch {
			case err != nil:
				return err
			case blocked && why == "":
				fmt.Fprintf(w, "%s loads %s: %+v\n", name, path, problems)
				wrong++
			case !blocked && why != "" && unforeseen[filepath.Base(path)] != "":
				skipped++
			case !blocked && why != "":
				fmt.Fprintf(w, "%s refuses %s: %s\n", name, path, why)
				wrong++
			case blocked:
				refused++
			default:
				loaded++
			}
		}
		fmt.Fprintf(w, "%s: %d snapshots loaded and %d refused, as predicted; %d damaged, or with a condition\n", name, loaded, refused, skipped)
	}
	if wrong > 0 {
		return fmt.Errorf("%d snapshots are not loaded or refused as predicted", wrong)
	}
	return nil
}

// unforeseen are files of the corpora that servers refuse for what is not checked, and
// why.
var unforeseen = map[string]string{
	"12.rdb":               "two keys of one name, which servers take for a bug of their own",
	"34.rdb":               "the same",
	"filter.rdb":           "the same",
	"functions.rdb":        "a library without functions",
	"dup-keys.rdb":         "two keys of one name",
	"old-zset-doubles.rdb": "a score that is not a number",
	"zipmap_big_len.rdb":   "a zipmap that servers take for damaged",
	"extreme.rdb":          "a listpack's entry of 2 MiB that Valkey 9.1 takes for damaged",
	"nocomp.rdb":           "the same",
}

// refusal starts a server with a snapshot and returns the last lines of its log if it
// does not load it, "" if it does.
func refusal(argv []string, path string) (string, error) {
	s, err := newServer(argv, "--databases", "16")
	if err != nil {
		return "", err
	}
	defer s.remove()
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(s.path("dump.rdb"), data, 0o644); err != nil {
		return "", err
	}
	if err = s.start(); err == nil {
		return "", nil
	}
	s.cmd.Wait()
	log, err := os.ReadFile(s.path("log"))
	if err != nil {
		return "", errors.New("the server did not start")
	}
	lines := strings.Split(strings.TrimSpace(string(log)), "\n")
	return strings.Join(lines[max(0, len(lines)-3):], "; "), nil
}
