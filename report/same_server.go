package report

import (
	"github.com/rdblens/rdblens/parser/message"
)

// SameServer is a pair of inputs that seem to be snapshots of one server, or of one and its replica.
type SameServer struct {
	Inputs [2]int `json:"inputs"` // indexes into inputs, the older snapshot first
	// Sign is "replication id" if both have the same one, and "names" if they were taken at different
	// times and have names of keys in common: Share of those of the input with fewer, 0 to 1, estimated
	// from 256 names. Reports that were merged from states know replication ids only.
	Sign  string  `json:"sign"`
	Share float64 `json:"share,omitempty"`
}

// Names show that inputs are of one server if there are leastShared of them, and half of the sample.
const (
	leastShared     = 5
	mostSameServers = 100
)

// findSameServers sets which inputs are of one server. Those of a cluster have no keys in common.
func (f *finisher) findSameServers() {
	r := f.r
	if len(r.Inputs) < 2 {
		return
	}
	add := func(a, b int, s SameServer) {
		if r.Inputs[a].Created > r.Inputs[b].Created {
			a, b = b, a
		}
		if s.Inputs = [2]int{a, b}; len(r.SameServer) < mostSameServers {
			r.SameServer = append(r.SameServer, s)
		}
	}
	of := map[Name]int{}
	related := map[[2]int]bool{}
	for i := range r.Inputs {
		id := r.Inputs[i].ReplicationID
		if first, known := of[id]; known {
			related[[2]int{first, i}] = true
			add(first, i, SameServer{Sign: "replication id"})
		} else if id != "" {
			of[id] = i
		}
	}
	for a := range f.Snapshots {
		for b := a + 1; b < len(f.Snapshots) && len(r.SameServer) < mostSameServers; b++ {
			one, other := &f.Snapshots[a], &f.Snapshots[b]
			n, of := one.Names.Common(&other.Names)
			if n >= leastShared && 2*n >= of && one.Env.Created != other.Env.Created && !related[[2]int{one.Input, other.Input}] {
				add(one.Input, other.Input, SameServer{Sign: "names", Share: ratio(int64(n), int64(of))})
			}
		}
	}
}

// sameServerAlerts says which inputs are counted twice.
func (r *Report) sameServerAlerts() (list []message.Message) {
	for i := range r.SameServer {
		s := &r.SameServer[i]
		a, b := &r.Inputs[s.Inputs[0]], &r.Inputs[s.Inputs[1]]
		sign := message.New("the same replication id")
		if s.Sign == "names" {
			sign = message.New("{share} of their names", message.Share("share", s.Share))
		}
		args := []message.Arg{fileArg("old", a.Name), fileArg("new", b.Name), message.Phrase("sign", sign),
			message.Duration("apart", int64(b.Created-a.Created)), message.Code("diff", "rdblens diff")}
		list = append(list, message.New("TWICE: {old} and {new}, taken {apart} apart, seem to be of one server: they share "+
			"{sign}. All sums count its keys twice. {diff} says what changed between them.", args...))
	}
	return list
}
