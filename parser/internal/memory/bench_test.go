package memory

import "testing"

func benchModel(b *testing.B, server string) *Model {
	m, _, err := Choose("", "", Options{Server: server})
	if err != nil {
		b.Fatal(err)
	}
	return m
}

var sink Sizes

func BenchmarkModel(b *testing.B) {
	for _, server := range []string{"redis-7.0", "redis-8.0", "redis-8.6", "valkey-8.1", "valkey-9"} {
		m := benchModel(b, server)
		var a Accumulator
		b.Run(server+"/string", func(b *testing.B) {
			f := Facts{Shape: StringText, NameLen: 20, TextLen: 30}
			for i := 0; b.Loop(); i++ {
				a.Reset(m)
				f.NameLen, f.TextLen = int64(10+i&31), int64(i&63)
				f.TTL = i&4 != 0
				sink = a.Sizes(&f)
			}
		})
		b.Run(server+"/text", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				sink.Allocated, sink.Usage = m.TextSizes(int64(10+i&31), int64(i&63), i&4 != 0)
			}
		})
		b.Run(server+"/field", func(b *testing.B) {
			a.Reset(m)
			for i := 0; b.Loop(); i++ {
				a.AddField(int64(8+i&15), int64(i&63), false)
			}
		})
		b.Run(server+"/member", func(b *testing.B) {
			a.Reset(m)
			for i := 0; b.Loop(); i++ {
				a.AddMember(int64(i & 127))
			}
		})
		b.Run(server+"/scored", func(b *testing.B) {
			a.Reset(m)
			for i := 0; b.Loop(); i++ {
				a.AddScoredMember(int64(i & 127))
			}
		})
		b.Run(server+"/table", func(b *testing.B) {
			f := Facts{Shape: SetTable, Type: typeSet, NameLen: 20, Longest: 80}
			for i := 0; b.Loop(); i++ {
				a.Reset(m)
				f.Elements = int64(100 + i&1023)
				sink = a.Sizes(&f)
			}
		})
	}
}
