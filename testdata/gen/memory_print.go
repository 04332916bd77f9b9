package main

import (
	"fmt"
	"io"
	"slices"
	"sort"
	"text/tabwriter"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/memory"
)

// A deviation collects the errors of the model against the server for some keys.
type deviation struct {
	errors      []float64 // signed, relative
	model, real int64     // sums in bytes
}

func (d *deviation) add(model, real int64) {
	d.model += model
	d.real += real
	d.errors = append(d.errors, float64(model-real)/float64(max(real, 1)))
}

// quantile returns a quantile of the absolute errors, in percent.
func (d *deviation) quantile(q float64) float64 {
	abs := make([]float64, len(d.errors))
	for i, e := range d.errors {
		abs[i] = max(e, -e)
	}
	slices.Sort(abs)
	return 100 * abs[min(len(abs)-1, int(q*float64(len(abs))))]
}

func (d *deviation) total() float64 { return 100 * float64(d.model-d.real) / float64(max(d.real, 1)) }

// print scans the snapshot with the model, for both states of the server, and
// prints its errors.
func (m *memoryTruth) print(w io.Writer) error {
	for _, state := range memory.States() {
		keys, info, err := m.scan(state)
		if err != nil {
			return err
		}
		use := m.live
		usage, allocated := func(r *row) int64 { return r.usage }, func(r *row) int64 { return r.allocated }
		if state == "reloaded" {
			use = m.reloaded
			usage, allocated = func(r *row) int64 { return r.reloadedUsage }, func(r *row) int64 { return r.reloadedAlloc }
		}
		byType := map[string]*[2]deviation{}
		var all [2]deviation
		var itself deviation
		var sum int64
		var db memory.Database
		for i := range m.rows {
			r := &m.rows[i]
			k := keys[r.key]
			if k == nil {
				return fmt.Errorf("%q is not in the snapshot", r.key)
			}
			name := r.typ + "/" + r.encoding
			if state == "reloaded" {
				name = r.typ + "/" + r.reloadedEncoding
			}
			if byType[name] == nil {
				byType[name] = new([2]deviation)
			}
			for _, d := range []*[2]deviation{byType[name], &all} {
				d[0].add(k.MemoryUsage, usage(r))
				d[1].add(k.Memory, allocated(r))
			}
			itself.add(r.againUsage, r.reloadedUsage)
			sum += k.Memory
			db.Keys++
			if k.HasExpire {
				db.Expires++
			}
		}
		fmt.Fprintf(w, "\n%s, %s, allocator %s, %d keys. Errors in %% against MEMORY USAGE SAMPLES 0 and against the fall of used_memory:\n",
			m.server, state, m.allocator, len(m.rows))
		m.table(w, byType, &all)
		if state == "reloaded" {
			fmt.Fprintf(w, "MEMORY USAGE after another restart from the same file: p95 %.2f %%, max %.1f %%, total %+.2f %%\n",
				itself.quantile(.95), itself.quantile(1), itself.total())
		}
		model, err := m.model(info, state)
		if err != nil {
			return err
		}
		predicted := model.Instance(sum, []memory.Database{db}, nil).UsedMemory
		fmt.Fprintf(w, "used_memory: %d predicted, %d real, %+.2f %%\n", predicted, use.used, 100*float64(predicted-use.used)/float64(use.used))
	}
	return nil
}

func (m *memoryTruth) table(w io.Writer, byType map[string]*[2]deviation, all *[2]deviation) {
	names := make([]string, 0, len(byType))
	for n := range byType {
		names = append(names, n)
	}
	sort.Strings(names)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "type\tkeys\tMB\tusage median\tp95\tmax\ttotal\t\tallocated median\tp95\tmax\ttotal\t")
	line := func(name string, d *[2]deviation) {
		fmt.Fprintf(t, "%s\t%d\t%.1f\t", name, len(d[0].errors), float64(d[1].real)/1e6)
		for i := range d {
			fmt.Fprintf(t, "%.2f\t%.2f\t%.1f\t%+.2f\t", d[i].quantile(.5), d[i].quantile(.95), d[i].quantile(1), d[i].total())
			if i == 0 {
				fmt.Fprint(t, "\t")
			}
		}
		fmt.Fprintln(t)
	}
	for _, n := range names {
		line(n, byType[n])
	}
	line("all", all)
	t.Flush()
}

func (m *memoryTruth) model(info *parser.Info, state string) (*memory.Model, error) {
	model, _, err := memory.Choose(info.Server, info.ServerVersion, memory.Options{Allocator: m.allocator, State: state, RDB: info.Version})
	return model, err
}

// scan reads the snapshot with the model for one state of the server.
func (m *memoryTruth) scan(state string) (map[string]*parser.Key, *parser.Info, error) {
	src, err := parser.Open(m.file)
	if err != nil {
		return nil, nil, err
	}
	defer src.Close()
	keys := make(map[string]*parser.Key, len(m.rows))
	var modelErr error
	opt := parser.Options{Memory: func(info *parser.Info) *memory.Model {
		model, err := m.model(info, state)
		modelErr = err
		return model
	}}
	s := parser.NewScanner(src, opt)
	for s.Scan() {
		keys[string(s.Key().Name)] = s.Key().Clone()
	}
	info, err := s.Info(), s.Err()
	if err == nil {
		err = modelErr
	}
	return keys, info, err
}
