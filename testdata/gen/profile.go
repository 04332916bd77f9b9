package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"time"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/memory"
	"github.com/rdblens/rdblens/report"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/config"
)

// makeProfile writes a CPU profile of whole scans, and of a row for every key, of the
// mixed snapshot, also compressed, and of small and big: what the compiler should optimize.
func makeProfile(o *options) (err error) {
	dir, target := o.args[0], o.args[1]
	if err := makeMissing(dir, o.scale); err != nil {
		return err
	}
	if err := makeGzip(filepath.Join(dir, "mixed.rdb.gz")); err != nil {
		return err
	}
	policy, err := config.Load(config.Options{})
	if err != nil {
		return err
	}
	file, err := os.Create(target)
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := file.Close(); err == nil {
			err = closeErr
		}
	}()
	// Five times the usual rate: with fewer samples, what is inlined varies.
	// (StartCPUProfile then complains that it cannot set its own rate.)
	runtime.SetCPUProfileRate(500)
	if err := pprof.StartCPUProfile(file); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	// The time of each is fixed, not the number of runs.
	for _, set := range []struct {
		name string
		time time.Duration
	}{{"mixed.rdb", 24 * time.Second}, {"small.rdb", 10 * time.Second}, {"big.rdb", 8 * time.Second},
		{"mixed.rdb.gz", 8 * time.Second}} {
		snapshot := filepath.Join(dir, set.name)
		for begin := time.Now(); time.Since(begin) < set.time; {
			if err := scanOnce(snapshot, policy); err != nil {
				return err
			}
		}
		for begin := time.Now(); time.Since(begin) < 2*time.Second; {
			if err := rowsOnce(snapshot); err != nil {
				return err
			}
		}
	}
	return nil
}

// chooseModel returns the memory model that the command uses by default.
func chooseModel(info *parser.Info) *memory.Model {
	m, _, err := memory.Choose(info.Server, info.ServerVersion, memory.Options{RDB: info.Version})
	if err != nil {
		return nil
	}
	return m
}

// scanOnce does what the scan command does.
func scanOnce(path string, policy *thresholds.Policy) error {
	r, err := report.Scan(context.Background(), []report.Source{report.FileSource(path)}, policy, report.Options{Top: 20})
	if err != nil {
		return err
	}
	return report.Write("json", io.Discard, r, report.WriteOptions{})
}

// rowsOnce does what the keys command does.
func rowsOnce(path string) error {
	src, err := parser.Open(path)
	if err != nil {
		return err
	}
	defer src.Close()
	_, err = parser.Run(context.Background(), src, parser.Options{Memory: chooseModel}, func() parser.Sink { return new(rowSink) })
	return err
}

// A rowSink formats rows and discards them.
type rowSink struct{ rows []byte }

func (s *rowSink) Key(k *parser.Key) { s.rows = report.AppendKeyCSV(s.rows, k) }
func (s *rowSink) Size() int         { return cap(s.rows) }
func (s *rowSink) Flush(bool) error  { s.rows = s.rows[:0]; return nil }
