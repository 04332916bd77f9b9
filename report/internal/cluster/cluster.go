// Package cluster compares the snapshots of a cluster with what the cluster says of
// its nodes.
package cluster

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// Range is a range of hash slots, both ends included.
type Range struct {
	First int `json:"first"`
	Last  int `json:"last"`
}

// Master is a master that serves slots.
type Master struct {
	ID      string  `json:"id" redact:"text"`
	Address string  `json:"address" redact:"text"` // host:port, of hosts with a name that, as the cluster writes them
	Failing bool    `json:"failing,omitempty"`
	Slots   []Range `json:"slots"`
	// Inputs are the indexes of the snapshots that have the most keys of one of its slots.
	// None: there is no snapshot of it, or it has no keys.
	Inputs []int `json:"inputs"`
}

// Nodes is the text of CLUSTER NODES.
type Nodes struct {
	masters []Master
	of      [naming.Slots]int16 // 1 + index of the master of a slot, 0 none
	moving  [naming.Slots]bool
}

// MaxText is the longest text that Parse reads, in bytes.
const MaxText = 16 << 20

// Parse reads the text of CLUSTER NODES, as Redis from 3.0 and Valkey write it: a
// line for each node with ID, address, flags, master, times, epoch, link state and
// slots. Replicas, and masters without slots, are skipped.
func Parse(text string) (*Nodes, error) {
	if len(text) > MaxText {
		return nil, fmt.Errorf("more than %d MB", MaxText>>20)
	}
	n := &Nodes{}
	number := 0
	for line := range strings.Lines(text) {
		number++
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if len(fields) < 8 {
			return nil, fmt.Errorf("line %d has %d fields, and a node has at least 8", number, len(fields))
		}
		flags := strings.Split(fields[2], ",")
		if !slices.Contains(flags, "master") {
			continue
		}
		if len(n.masters) == naming.Slots {
			return nil, fmt.Errorf("line %d: more masters than slots", number)
		}
		m := Master{ID: fields[0], Address: address(fields[1]), Failing: slices.Contains(flags, "fail")}
		for _, field := range fields[8:] {
			if err := n.slots(&m, field); err != nil {
				return nil, fmt.Errorf("line %d: %w", number, err)
			}
		}
		if m.Slots != nil {
			n.masters = append(n.masters, m)
		}
	}
	if n.masters == nil {
		return nil, fmt.Errorf("no master with slots")
	}
	return n, nil
}

// address returns host:port of ip:port@busport,hostname,shard-id=..., of which only
// ip:port is in all versions. An unknown address is ":0".
func address(field string) string {
	at, aux, _ := strings.Cut(field, ",")
	at, _, _ = strings.Cut(at, "@")
	host, _, _ := strings.Cut(aux, ",")
	if host == "" || strings.Contains(host, "=") {
		return at
	}
	return host + at[max(0, strings.LastIndexByte(at, ':')):]
}

// slots adds a range such as 7 or 0-5460 to a master that is not in the list yet. A
// slot that is moving, [93->-ID] or [93-<-ID], is also in a range of its master.
func (n *Nodes) slots(m *Master, field string) error {
	moving := strings.HasPrefix(field, "[")
	text, _, _ := strings.Cut(strings.TrimPrefix(field, "["), "-")
	last := text
	if !moving {
		if a, b, isRange := strings.Cut(field, "-"); isRange {
			text, last = a, b
		}
	}
	r := Range{number(text), number(last)}
	if r.First < 0 || r.Last < r.First || r.Last >= naming.Slots {
		return fmt.Errorf("%.40q is not a range of slots", field)
	}
	if moving {
		n.moving[r.First] = true
		return nil
	}
	for slot := r.First; slot <= r.Last; slot++ {
		if n.of[slot] != 0 {
			return fmt.Errorf("slot %d has two masters", slot)
		}
		n.of[slot] = int16(len(n.masters) + 1)
	}
	m.Slots = append(m.Slots, r)
	return nil
}

// number returns a number of at most 5 digits, -1 if it is none.
func number(s string) int {
	n, err := strconv.ParseUint(s, 10, 16)
	if err != nil || len(s) > 5 {
		return -1
	}
	return int(n)
}

// Slot says which snapshots have keys of a slot.
type Slot struct {
	Keys   int64 // in all of them
	Node   int   // index of the snapshot with the largest part
	Shared bool  // others have keys, too
}

// Check is the comparison of the snapshots with the cluster.
type Check struct {
	Masters []Master `json:"masters"` // in the order of their first slots
	// Missing are the indexes of the masters that no snapshot has keys of.
	Missing []int `json:"missing"`
	// Shared are slots that several snapshots have keys of, except those that are moving:
	// their keys count twice.
	Shared []Range `json:"shared_slots"`
	// Foreign are slots whose keys are in the snapshot of another master, except those that
	// are moving: the text, or the snapshot, is older than a change of the cluster.
	Foreign []Range `json:"foreign_slots"`
	// Unserved are slots without a master.
	Unserved []Range `json:"unserved_slots"`
	// Spare are the indexes of the snapshots with keys that have the most of no slot: most
	// likely those of replicas, or of masters that have another snapshot.
	Spare []int `json:"spare_inputs"`
}

// Check compares the slots of snapshots, and the snapshots that have keys.
func (n *Nodes) Check(slots []Slot, withKeys []int) *Check {
	c := &Check{Masters: slices.Clone(n.masters), Missing: []int{}, Shared: []Range{}, Foreign: []Range{},
		Unserved: []Range{}, Spare: []int{}}
	for i := range c.Masters {
		c.Masters[i].Inputs = []int{}
	}
	count := map[int]map[int]int{} // slots by snapshot and master
	for slot := range slots {
		s, m := &slots[slot], int(n.of[slot])-1
		if s.Keys == 0 || m < 0 {
			continue
		}
		if count[s.Node] == nil {
			count[s.Node] = map[int]int{}
		}
		count[s.Node][m]++
		if !slices.Contains(c.Masters[m].Inputs, s.Node) {
			c.Masters[m].Inputs = append(c.Masters[m].Inputs, s.Node)
		}
	}
	home := map[int]int{} // the master that most slots of a snapshot are of
	for node, of := range count {
		best := -1
		for m, slots := range of {
			if best < 0 || slots > of[best] || slots == of[best] && m < best {
				best = m
			}
		}
		home[node] = best
	}
	for slot := range naming.Slots {
		m := int(n.of[slot]) - 1
		if m < 0 {
			c.Unserved = add(c.Unserved, slot)
		}
		if slot >= len(slots) || slots[slot].Keys == 0 || n.moving[slot] {
			continue
		}
		if slots[slot].Shared {
			c.Shared = add(c.Shared, slot)
		}
		if m >= 0 && home[slots[slot].Node] != m {
			c.Foreign = add(c.Foreign, slot)
		}
	}
	for i := range c.Masters {
		m := &c.Masters[i]
		slices.Sort(m.Inputs)
		own := slices.ContainsFunc(m.Inputs, func(node int) bool { return home[node] == i })
		if !own {
			c.Missing = append(c.Missing, i)
		}
	}
	for _, node := range withKeys {
		if _, ok := count[node]; !ok {
			c.Spare = append(c.Spare, node)
		}
	}
	return c
}

// add adds a slot to ranges, of which it is after the last.
func add(list []Range, slot int) []Range {
	if n := len(list); n > 0 && list[n-1].Last == slot-1 {
		list[n-1].Last = slot
		return list
	}
	return append(list, Range{slot, slot})
}

// Text returns ranges as CLUSTER NODES writes them, at most a few.
func Text(list []Range) string {
	const most = 5
	var parts []string
	for _, r := range list[:min(len(list), most)] {
		s := strconv.Itoa(r.First)
		if r.Last > r.First {
			s += "-" + strconv.Itoa(r.Last)
		}
		parts = append(parts, s)
	}
	if len(list) > most {
		parts = append(parts, "...")
	}
	return strings.Join(parts, " ")
}

// Count returns the number of slots in ranges.
func Count(list []Range) (n int) {
	for _, r := range list {
		n += r.Last - r.First + 1
	}
	return n
}

// MissingError reports a master without a snapshot.
type MissingError struct{ Master *Master }

func (e *MissingError) AsMessage() message.Message {
	return message.New("no snapshot has keys of this master, which serves the slots {slots}",
		message.Text("slots", Text(e.Master.Slots)))
}

func (e *MissingError) Error() string { return e.AsMessage().String() }
