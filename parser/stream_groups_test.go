package parser

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"io"
	"os"
	"testing"
)

// TestBehind compares how far consumer groups have read with what XINFO GROUPS reports:
// groupLimits of testdata/gen reads 5 entries of each stream. A snapshot that says that it was
// taken later shows that their consumers are idle.
func TestBehind(t *testing.T) {
	f, err := os.Open("../testdata/rules/groups.rdb.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	copy(data[len(data)-8:], make([]byte, 8)) // no checksum
	ctime := bytes.Index(data, []byte("ctime\xc2")) + len("ctime\xc2")
	created := binary.LittleEndian.Uint32(data[ctime:])
	for days, idle := range map[uint32]int64{0: 0, 6: 0, 8: 1} {
		binary.LittleEndian.PutUint32(data[ctime:], created+days*24*60*60)
		got := map[string]GroupState{}
		sink := sinkOf(func(k *Key) {
			if k.Behind != nil {
				got[string(k.Name)] = *k.Clone().Behind
			}
		})
		if _, err := Run(context.Background(), bytes.NewReader(data), Options{Jobs: 1}, func() Sink { return sink }); err != nil {
			t.Fatal(err)
		}
		for name, lag := range map[string]int64{"behind:10000": 10_000, "behind:10001": 10_001} {
			g := got[name]
			if string(g.Name) != "billing" || g.Lag != lag || g.Pending != 5 || g.Oldest != 1 || g.Consumers != 1 || g.Idle != idle {
				t.Errorf("%s after %d days: %+v", name, days, g)
			}
		}
		if len(got) != 2 {
			t.Errorf("%d streams are behind", len(got))
		}
	}
}

// TestLag checks what is said of groups whose number of entries read is not known.
func TestLag(t *testing.T) {
	s := &StreamState{Length: 100, Last: StreamID{200, 0}, Counters: true, First: StreamID{101, 0}, Added: 200}
	for _, c := range []struct {
		state StreamState
		last  StreamID
		read  int64
		want  int64
	}{
		{*s, StreamID{200, 0}, -1, 0}, {*s, StreamID{150, 0}, 150, 50}, {*s, StreamID{10, 0}, 10, 100}, {*s, StreamID{150, 0}, -1, -1}, {*s, StreamID{50, 0}, -1, 100},
		{*s, StreamID{150, 0}, 201, -1}, {StreamState{Length: 7, Last: StreamID{9, 0}}, StreamID{}, -1, 7}, {StreamState{Length: 7, Last: StreamID{9, 0}}, StreamID{3, 0}, -1, -1},
	} {
		if got := c.state.lag(c.last, c.read); got != c.want {
			t.Errorf("%+v, last %v, read %d: %d, want %d", c.state, c.last, c.read, got, c.want)
		}
	}
}
