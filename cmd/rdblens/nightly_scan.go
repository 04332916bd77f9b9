package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report"
)

// given returns the snapshots of the arguments. Those of states are named as the scans
// named them, and judged as the scans judged them.
func (n *night) given(ctx context.Context, args []string) ([]*input, error) {
	if !slices.ContainsFunc(args, hasStates) {
		if n.ofRun != "" {
			return nil, usageError("--run is of states: no state is given").withHint("rdblens scan --run {run} -f shard=DIR/ dump.rdb", message.Code("run", n.ofRun))
		}
		return n.inputs(args, n.expandFlags)
	}
	n.ofStates = true
	list, err := n.expand(args, n.expandFlags, states)
	if err != nil {
		return nil, err
	}
	var kept []*input
	for _, in := range list {
		src, err := in.openState(ctx, n.env)
		var info *report.StateInfo
		if err == nil {
			info, err = report.ReadStateInfo(src)
			src.Close()
		}
		switch {
		case err != nil: // told as a snapshot that cannot be read
			in.failed = err
		case n.ofRun != "" && info.Run != n.ofRun:
			continue // a snapshot without another state is missing
		case len(info.Snapshots) != 1:
			return nil, usageError("{file}: a state of {count}", message.Path("file", in.name),
				message.Number("count", int64(len(info.Snapshots)), "1 snapshot", "{n} snapshots")).
				withHint("give the states of single snapshots")
		default:
			in.name, in.judge = string(info.Snapshots[0]), info.Judge
		}
		kept = append(kept, in)
	}
	return kept, nil
}

// scanAll scans the inputs and compares each with its last complete report.
func (n *night) scanAll(ctx context.Context, list []*input) error {
	ours, err := n.settings()
	if err != nil {
		return err
	}
	n.next = &nightState{Schema: nightSchema, Run: n.run, Inputs: map[string]nightInput{}}
	for i, in := range list {
		settings := cmp.Or(in.judge, ours)
		if _, twice := n.next.Inputs[in.name]; twice {
			return usageError("{file} is given twice",
				message.Path("file", in.name)).withHint("give them labels: LABEL=FILE; states of several nights: --run ID")
		}
		night, r, err := n.scanOne(ctx, in, fmt.Sprintf("%d", i))
		if err != nil {
			return err
		}
		known := n.state.Inputs[in.name]
		if known.Report != "" {
			if err := n.compare(ctx, night, r, known.Report); err != nil {
				return err
			}
			if night.Last == nil {
				n.warn(message.New("{file}: its last report cannot be read, so nothing is compared", message.Path("file", in.name)))
				known.Settings = settings
			}
		}
		night.Judged = known.Settings == settings
		now := nightInput{Settings: settings, Report: known.Report}
		if night.Err == nil && night.Now != nil && night.Now.Complete {
			now.Report = n.run + "/" + inputsDir + "/" + fmt.Sprintf("%d.json.zst", i)
		} else {
			now.Settings = cmp.Or(known.Settings, settings)
		}
		n.next.Inputs[in.name] = now
		n.nights = append(n.nights, *night)
	}
	for name, known := range n.state.Inputs {
		if _, given := n.next.Inputs[name]; given || known.Report == "" {
			continue
		}
		gone := report.Night{Name: name, Gone: true, Last: &report.Brief{}}
		if last := n.lastReport(known.Report); last != nil {
			gone.Last = report.NewBrief(last)
		}
		n.nights = append(n.nights, gone)
		n.next.Inputs[name] = known
	}
	slices.SortFunc(n.nights, func(a, b report.Night) int { return strings.Compare(a.Name, b.Name) })
	return n.rename(ctx)
}

// rename compares inputs that had other names with their last reports.
func (n *night) rename(ctx context.Context) error {
	names := report.Renames(n.nights)
	for i := range n.nights {
		in := &n.nights[i]
		was := names[in.Name]
		if was == "" {
			continue
		}
		now, known := n.next.Inputs[in.Name], n.state.Inputs[was]
		if err := n.compare(ctx, in, n.lastReport(".part-"+now.Report), known.Report); err != nil {
			return err
		}
		in.Was, in.Judged = was, known.Settings == now.Settings
		delete(n.next.Inputs, was)
	}
	n.nights = slices.DeleteFunc(n.nights, func(in report.Night) bool {
		return in.Gone && slices.Contains(slices.Collect(maps.Values(names)), in.Name)
	})
	return nil
}

// lastReport reads a report below reports/, nil if it cannot be read.
func (n *night) lastReport(name string) *report.Report {
	r, _ := n.savedReport(&input{path: n.path(reportsDir, filepath.FromSlash(name)), size: -1})
	return r
}

// compare compares the report of an input, nil if there is none, with an earlier one if
// that can be read and the input was read to its end.
func (n *night) compare(ctx context.Context, in *report.Night, r *report.Report, name string) error {
	last := n.lastReport(name)
	if last == nil {
		return nil
	}
	in.Last = report.NewBrief(last)
	if r == nil || in.Err != nil || !r.Complete {
		return nil
	}
	d, err := report.Compare(ctx, report.CompareInput{Saved: last}, report.CompareInput{Saved: r}, n.policy,
		n.options(report.Options{Source: n.finder}), report.CompareOptions{})
	if err != nil {
		return err
	}
	d.Keys, d.Types = report.DiffKeys{}, nil // a fleet has many
	in.Diff = d
	return nil
}

// scanOne scans one input, and saves its report, which is nil if nothing could be read,
// and its state.
func (n *night) scanOne(ctx context.Context, in *input, file string) (*report.Night, *report.Report, error) {
	night := &report.Night{Name: in.name}
	stop := n.progress([]*input{in})
	// Nights are compared by their lists of the largest keys, too.
	options := report.Options{Top: 100, Shard: true, AllGroups: true, FailOn: n.severity, Tool: tool()}
	var r *report.Report
	var err error
	if in.judge != "" {
		r, err = report.Merge(ctx, []report.Source{n.stateSource(in)}, options)
	} else {
		r, err = report.Scan(ctx, []report.Source{n.source(in)}, n.policy, n.options(options))
	}
	stop()
	var failed report.ScanError
	if err != nil && !errors.As(err, &failed) {
		return nil, nil, err
	}
	if len(failed) > 0 {
		night.Err = failed[0].Err
	}
	if ctx.Err() != nil {
		return nil, nil, &exitError{code: exitPartial, err: message.Errorf("interrupted: nothing of this night is kept")}
	}
	state := filepath.Join(n.part, inputsDir, file+".shard")
	if err := report.WriteAll([]report.Target{{Format: "shard", Path: state}}, nil, nil, r, report.WriteOptions{}); err != nil {
		return nil, nil, outputError(err)
	}
	n.states = append(n.states, report.Source{Name: state, Size: -1, Open: func(context.Context) (io.ReadCloser, error) {
		return os.Open(state)
	}})
	if r.Inputs[0].Format == "" {
		return night, nil, nil
	}
	night.Now = report.NewBrief(r)
	return night, r, n.saveReport(filepath.Join(n.part, inputsDir, file+".json.zst"), r)
}
