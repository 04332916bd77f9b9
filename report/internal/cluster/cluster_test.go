package cluster

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/thresholds/naming"
)

// What servers write. In the first a slot is moving, the second is of a node with
// an IPv6 address.
const (
	redis70 = `96fafd12aa34b442d9a8641bfc27ab7af0abbb3f 127.0.0.1:27512@27522,node2.example master - 0 1795357439000 2 connected 5461-10922
aade11d1412cf9694c2a54b4d03b3970bbe4d082 127.0.0.1:27514@27524,node4.example slave ca1b3eb520f8f36c88e1a6fb80b40fbe28da860c 0 1795357440054 1 connected
6dc48cde3997ac23a8afa901afa0594c1487cfaa 127.0.0.1:27513@27523,node3.example master - 0 1795357437000 3 connected 10923-16383
ca1b3eb520f8f36c88e1a6fb80b40fbe28da860c 127.0.0.1:27511@27521,node1.example myself,master - 0 1795357438000 1 connected 0-5460 [93->-96fafd12aa34b442d9a8641bfc27ab7af0abbb3f]
`
	valkey91 = "9c65d1cef58021be00f7d53e8a0b6150f51f7dcf ::1:27533@27633,host-27533 myself,master - 0 0 0 connected 0-16383\r\n"
	// Forms of the manual: before 4.0 without a bus port, an unknown address, fields
	// of 7.0 without a host name, a master that failed and one slot by itself.
	others = `a1 10.0.0.1:7000 master,fail - 0 0 1 disconnected 0-99 101
a2 :0@0 slave,fail,noaddr a1 0 0 1 disconnected
a3 fd00::7:7001@17001,,shard-id=3 master - 0 0 2 connected 100 102-16382 [93-<-a1]
a4 10.0.0.4:7000@17000 master - 0 0 0 connected
`
)

func parse(t *testing.T, text string) *Nodes {
	t.Helper()
	n, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		redis70:  "96fafd12 node2.example:27512 5461-10922; 6dc48cde node3.example:27513 10923-16383; ca1b3eb5 node1.example:27511 0-5460; ",
		valkey91: "9c65d1ce host-27533:27533 0-16383; ",
		others:   "a1 10.0.0.1:7000 failing 0-99 101; a3 fd00::7:7001 100 102-16382; ",
	} {
		got := ""
		for _, m := range parse(t, text).masters {
			got += fmt.Sprintf("%.8s %s ", m.ID, m.Address)
			if m.Failing {
				got += "failing "
			}
			got += Text(m.Slots) + "; "
		}
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	line := func(slots string) string { return "a 1:1@1 master - 0 0 0 connected " + slots }
	for text, want := range map[string]string{
		"":                                    "no master with slots",
		"+OK":                                 "line 1 has 1 fields",
		line("16384"):                         `"16384" is not a range of slots`,
		line("9-8"):                           `"9-8" is not a range of slots`,
		line("-1"):                            `"-1" is not a range of slots`,
		line("0-99999999999999999999"):        "is not a range of slots",
		line("[x"):                            "is not a range of slots",
		line("[16384->-b]"):                   "is not a range of slots",
		line("0-5 5-6"):                       "slot 5 has two masters",
		line("0-5") + "\n\n" + line("5"):      "line 3: slot 5 has two masters",
		strings.Repeat("\n", MaxText) + "x":   "more than 16 MB",
		line(strings.Repeat("\x1b[2J", 1000)): `"\x1b[2J`,
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 300 {
			t.Errorf("%.40q: %.300v, want %s", text, err, want)
		}
	}
}

// TestCheck compares the snapshots of three nodes: slots below 5461, below 10923 and
// the others have a key each.
func TestCheck(t *testing.T) {
	n := parse(t, redis70) // masters 0, 1 and 2 are those of nodes 1, 2 and 0
	node := func(slot int) int {
		switch {
		case slot <= 5460:
			return 0
		case slot <= 10922:
			return 1
		}
		return 2
	}
	all := func(change func(slot int, s *Slot)) []Slot {
		list := make([]Slot, naming.Slots)
		for i := range list {
			list[i] = Slot{Keys: 1, Node: node(i)}
			change(i, &list[i])
		}
		return list
	}
	for _, c := range []struct {
		name     string
		slots    []Slot
		withKeys []int
		want     string // fields that are not empty, and the inputs of the masters
	}{
		{"whole", all(func(int, *Slot) {}), []int{0, 1, 2}, "1 2 0"},
		{"without node 1", all(func(i int, s *Slot) {
			if node(i) == 1 {
				*s = Slot{}
			}
		}), []int{0, 2}, "missing 0,  2 0"},
		{"node 1 twice", all(func(i int, s *Slot) { s.Shared = node(i) == 1 }), []int{0, 1, 2, 3}, "shared 5461-10922, spare 3, 1 2 0"},
		{"slots 7 and 93 at node 2, of which 93 is moving", all(func(i int, s *Slot) {
			if i == 7 || i == 93 {
				s.Node, s.Shared = 2, i == 93
			}
		}), []int{0, 1, 2}, "foreign 7, 1 2 0 2"},
	} {
		check := n.Check(c.slots, c.withKeys)
		got := ""
		field := func(name, text string) {
			if text != "" {
				got += name + " " + text + ", "
			}
		}
		numbers := func(list []int) string {
			b, _ := json.Marshal(list)
			return strings.NewReplacer("[", "", "]", "", ",", " ").Replace(string(b))
		}
		field("missing", numbers(check.Missing))
		field("shared", Text(check.Shared))
		field("foreign", Text(check.Foreign))
		field("unserved", Text(check.Unserved))
		field("spare", numbers(check.Spare))
		var inputs []string
		for _, m := range check.Masters {
			inputs = append(inputs, numbers(m.Inputs))
		}
		if got += strings.Join(inputs, " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	check := parse(t, others).Check(nil, nil)
	if !reflect.DeepEqual(check.Unserved, []Range{{16383, 16383}}) || !slices.Equal(check.Missing, []int{0, 1}) {
		t.Errorf("%+v", check)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{redis70, valkey91, others} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := Parse(text)
		if err != nil {
			return
		}
		served := 0
		for _, m := range n.masters {
			served += Count(m.Slots)
		}
		if unserved := Count(n.Check(nil, nil).Unserved); served+unserved != naming.Slots {
			t.Errorf("%d slots are served and %d are not", served, unserved)
		}
	})
}
