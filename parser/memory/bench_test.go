package memory

import "testing"

func benchModel(b *testing.B, server string) *Model {
	m, _, err := Choose("", "", Options{Server: server})
	if err != nil {
		b.Fatal(err)
	}
	return m
}

var sink Result

func BenchmarkModel(b *testing.B) {
	for _, server := range []string{"redis-7.0", "redis-8.0", "redis-8.6", "valkey-8.1", "valkey-9"} {
		m := benchModel(b, server)
		var a Acc
		b.Run(server+"/string", func(b *testing.B) {
			f := Facts{Shape: StringText, KeyLen: 20, Text: 30}
			for i := 0; b.Loop(); i++ {
				m.Begin(&a)
				f.KeyLen, f.Text = int64(10+i&31), int64(i&63)
				f.TTL = i&4 != 0
				sink = m.Finish(&a, &f)
			}
		})
		b.Run(server+"/text", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				sink.Alloc, sink.Usage = m.Text(int64(10+i&31), int64(i&63), i&4 != 0)
			}
		})
		b.Run(server+"/field", func(b *testing.B) {
			m.Begin(&a)
			for i := 0; b.Loop(); i++ {
				m.Field(&a, int64(8+i&15), int64(i&63), false)
			}
		})
		b.Run(server+"/member", func(b *testing.B) {
			m.Begin(&a)
			for i := 0; b.Loop(); i++ {
				m.Member(&a, int64(i&127))
			}
		})
		b.Run(server+"/scored", func(b *testing.B) {
			m.Begin(&a)
			for i := 0; b.Loop(); i++ {
				m.Scored(&a, int64(i&127))
			}
		})
		b.Run(server+"/table", func(b *testing.B) {
			f := Facts{Shape: SetTable, Type: typeSet, KeyLen: 20, Longest: 80}
			for i := 0; b.Loop(); i++ {
				m.Begin(&a)
				f.Elements = int64(100 + i&1023)
				sink = m.Finish(&a, &f)
			}
		})
	}
}
