package report

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/internal/cluster"
	"github.com/rdblens/rdblens/thresholds"
)

// leastToTell is the number of keys from which on two inputs can be told apart by them.
const leastToTell = 100

// Brief is what Events looks at of a report of one input. The reports of a large fleet
// would not fit in memory.
type Brief struct {
	Report // Inputs, Totals, Tool, Complete, counts of Findings, and of each of the Rules one example
	// print identifies the keys by their figures, "" of fewer than leastToTell, or if
	// some were not read.
	print   string
	largest []uint64 // hashes of the largest keys, sorted
}

// NewBrief returns what Events looks at of a report of one input.
func NewBrief(r *Report) *Brief {
	b := &Brief{Report: Report{Inputs: r.Inputs, Totals: r.Totals, Tool: r.Tool, Complete: r.Complete,
		Findings: r.Findings}, print: fingerprint(r)}
	for i := range r.Rules {
		f := &r.Rules[i]
		b.Rules = append(b.Rules, Finding{Rule: f.Rule, Severity: f.Severity, Count: f.Count,
			Examples: slices.Clone(f.Examples[:min(1, len(f.Examples))])})
	}
	for i := range r.Top[ByValueBytes] {
		k := &r.Top[ByValueBytes][i]
		h := fnv.New64a()
		fmt.Fprint(h, k.DB, " ", k.Key)
		b.largest = append(b.largest, h.Sum64())
	}
	slices.Sort(b.largest)
	return b
}

func fingerprint(r *Report) string {
	if !r.Complete || r.Totals.Keys < leastToTell {
		return ""
	}
	h := sha256.New()
	fmt.Fprintln(h, r.Totals.Keys, r.Totals.Elements, r.Totals.ValueBytes, r.Totals.WithoutTTL)
	for _, measure := range []string{ByValueBytes, ByElements} {
		for _, k := range r.Top[measure] {
			fmt.Fprintf(h, "%d %q %s %d\n", k.DB, k.Key, k.Type, k.ValueBytes)
		}
	}
	groups := slices.Clone(r.Groups)
	slices.SortFunc(groups, func(a, b Group) int { return strings.Compare(string(a.Group), string(b.Group)) })
	for i := range groups {
		fmt.Fprintf(h, "%q %d %d\n", groups[i].Group, groups[i].Keys, groups[i].ValueBytes)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Renames returns the names before of inputs that are new while one with nearly the same
// data is gone, by their names now.
func Renames(nights []Night) map[string]string {
	names, taken := map[string]string{}, map[string]bool{}
	for i := range nights {
		come := &nights[i]
		if come.Gone || come.Last != nil || come.Now == nil || !come.Now.Complete {
			continue
		}
		best := 0
		for k := range nights {
			gone := &nights[k]
			if same := sameKeys(gone.Last, come.Now); gone.Gone && !taken[gone.Name] && same > best && same >= mostKeys {
				names[come.Name], best = gone.Name, same
			}
		}
		if best > 0 {
			taken[names[come.Name]] = true
		}
	}
	return names
}

// mostKeys is the percentage of the largest keys that two snapshots of one server on two
// days share.
const mostKeys = 80

// sameKeys returns the percentage of the largest keys of a report that another one has
// among its largest, 0 if one has fewer than leastToTell keys.
func sameKeys(a, b *Brief) int {
	if a == nil || b == nil || min(a.Totals.Keys, b.Totals.Keys) < leastToTell || len(a.largest) == 0 {
		return 0
	}
	same := 0
	for _, k := range a.largest {
		if _, found := slices.BinarySearch(b.largest, k); found {
			same++
		}
	}
	return 100 * same / len(a.largest)
}

// fingerprint returns the print of a report, "" of nil.
func (b *Brief) fingerprint() string {
	if b == nil {
		return ""
	}
	return b.print
}

// sameData names inputs that have the data of another one, now or the night before. The
// ID does not depend on which of the two is the copy, so that one event is reported once.
func (n *nightEvents) sameData(nights []Night) {
	now, last := map[string]*Night{}, map[string]*Night{}
	for i := range nights {
		if print := nights[i].Last.fingerprint(); print != "" {
			last[print] = &nights[i]
		}
	}
	for i := range nights {
		in := &nights[i]
		print := in.Now.fingerprint()
		if print == "" {
			continue
		}
		other := now[print]
		if other == nil {
			now[print] = in
			if other = last[print]; other == nil || other == in || in.Last.fingerprint() == print ||
				other.Now.fingerprint() == print {
				continue
			}
			n.copied(in, other, message.New("the same data as {file} had before: {keys}", message.Path("file",
				other.Name), keysArg("keys", in.Now.Totals.Keys)))
			continue
		}
		// The copy is the one that is less like itself the night before.
		copied := in
		if sameKeys(other.Last, other.Now) < sameKeys(in.Last, in.Now) {
			copied, other = other, in
		}
		n.copied(copied, other, message.New("the same data as {file}: {keys}", message.Path("file", other.Name),
			keysArg("keys", in.Now.Totals.Keys)))
	}
}

// copied adds an input that has the data of another one. What it lost by that is no
// event of its own.
func (n *nightEvents) copied(in, other *Night, what message.Message) {
	n.events = slices.DeleteFunc(n.events, func(e Event) bool {
		return e.Input == in.Name && (e.Kind == EventShrunk || e.Kind == EventGrown || e.Kind == EventFinding)
	})
	e := n.add(EventSameData, thresholds.Error, in.Name, other.Name, wholeLoss(in.Now), what)
	e.ID = strings.Join([]string{EventSameData, min(in.Name, other.Name), max(in.Name, other.Name)}, "\x00")
}

// together adds the budgets that all inputs together are over, and the masters of a cluster
// that have no snapshot.
func (n *nightEvents) together(r *Report) {
	for _, f := range n.Failed {
		if errors.As(f.Err, new(*cluster.MissingError)) {
			n.add(EventGone, thresholds.Error, f.Name, "", 1, message.Of(f.Err))
		}
	}
	for i := range r.Rules {
		f := &r.Rules[i]
		for k := range f.Examples {
			if e := &f.Examples[k]; f.Rule == "budget" && e.Inputs > 1 {
				id := budgetID(e.Subject, e.Message)
				n.budgets[id] = true
				n.finding("", f.Rule, f.Severity, nil, Name(id), e.Subject, 1, e.Message, "", nil)
			}
		}
	}
}

// budgetID identifies a budget and what of it is exceeded, which the sentence says before
// what may be added.
func budgetID(subject Name, text message.Message) string {
	if len(text.Args) > 0 && text.Args[0].Kind == message.KindMessage {
		text = text.Args[0].List[0]
	}
	return text.ID + "\x00" + string(subject)
}

// changesOfAll adds what all inputs together lost or gained: by the limits for all of them, and
// by those in bytes if no input exceeds them alone. A share of all is never more than the
// largest share of an input.
func (n *nightEvents) changesOfAll(nights []Night) {
	eachLimit(&n.Limits.NightlyLimits, func(l *thresholds.ChangeLimit, kind string, direction int64) {
		if l.Fleet || l.Bytes > 0 {
			n.changeOfAll(nights, l, kind, direction)
		}
	})
}

func (n *nightEvents) changeOfAll(nights []Night, l *thresholds.ChangeLimit, kind string, direction int64) {
	sum := Diff{Measure: ByValueBytes} // as plus has it
	groups := map[Name]int{}
	for i := range nights {
		d := nights[i].Diff
		if d == nil {
			continue
		}
		if !l.Fleet && len(d.Exceeded(l, direction)) > 0 {
			return
		}
		sum.Totals.plus(d, &d.Totals)
		for k := range d.Groups {
			r := &d.Groups[k]
			at, known := groups[*r.Group]
			if !known {
				at = len(sum.Groups)
				groups[*r.Group] = at
				sum.Groups = append(sum.Groups, DiffRow{Group: r.Group})
			}
			sum.Groups[at].plus(d, r)
		}
	}
	for _, r := range sum.Exceeded(l, direction) {
		n.change(kind, thresholds.Error, "", &sum, r)
	}
}

// plus adds the keys and the sizes of a row of a comparison. The sizes are ValueBytes,
// whatever their measure.
func (d *DiffRow) plus(of *Diff, r *DiffRow) {
	before, after := of.Size(r)
	d.KeysBefore, d.KeysAfter = d.KeysBefore+r.KeysBefore, d.KeysAfter+r.KeysAfter
	d.ValueBytesBefore, d.ValueBytesAfter = d.ValueBytesBefore+before, d.ValueBytesAfter+after
}
