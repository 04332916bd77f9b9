package report

import (
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/internal/cluster"
)

// clusterAlerts says what snapshots lack or have twice of a cluster.
func (r *Report) clusterAlerts() (list []message.Message) {
	c := r.Cluster
	if c == nil {
		return nil
	}
	alert := func(id string, args ...message.Arg) { list = append(list, message.New(id, args...)) }
	slots := func(ranges []cluster.Range) []message.Arg {
		return []message.Arg{message.Number("count", int64(cluster.Count(ranges)), "1 slot", "{n} slots"),
			message.Text("slots", cluster.Text(ranges))}
	}
	for n, i := range c.Missing {
		if n == overviewAlerts {
			alert("MISSING: no snapshot has keys of {masters}.",
				message.Number("masters", int64(len(c.Missing)-n), "1 more master", "{n} more masters"))
			break
		}
		m := &c.Masters[i]
		alert("MISSING: no snapshot has keys of the master {address}, slots {slots}.", message.Path("address", m.Address),
			message.Text("slots", cluster.Text(m.Slots)))
	}
	if len(c.Shared) > 0 {
		alert("TWICE: {count} have keys in several snapshots: {slots}. All sums count these keys twice.", slots(c.Shared)...)
	}
	for _, i := range c.Spare[:min(len(c.Spare), overviewAlerts)] {
		alert("TWICE: {file} has no slot of its own: it may be of a replica.", fileArg("file", r.inputName(i)))
	}
	if len(c.Foreign) > 0 {
		alert("MOVED: keys of {count} are in the snapshot of another master than CLUSTER NODES says: {slots}.",
			slots(c.Foreign)...)
	}
	if len(c.Unserved) > 0 {
		alert("UNSERVED: no master serves {count}: {slots}.", slots(c.Unserved)...)
	}
	return list
}

// master returns the address of the master whose snapshot an input is, zero if that is
// not known.
func (r *Report) master(input int) message.Message {
	if r.Cluster != nil {
		for i := range r.Cluster.Masters {
			if m := &r.Cluster.Masters[i]; len(m.Inputs) == 1 && m.Inputs[0] == input {
				return only(message.Path("address", m.Address))
			}
		}
	}
	return message.Message{}
}
