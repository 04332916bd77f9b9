package agg

import (
	"slices"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds"
)

// gather runs keys through a Builder, in blocks.
func gather(engine *thresholds.Engine, input int, keys []parser.Key, block int) *Builder {
	b := NewBuilder(Options{Input: input})
	b.Start(engine)
	s := b.NewShard()
	number := 0
	for list := range slices.Chunk(keys, block) {
		number++
		s.Begin(number)
		for i := range list {
			if s.Key(&list[i]); i%100 == 99 {
				s.Flush(false)
			}
		}
		s.Flush(true)
	}
	return b
}

// groupsOf returns the sums of each group, by the name that a report shows.
func groupsOf(b *Builder) map[string]Sums {
	b.Finish()
	all := map[string]Sums{}
	for pattern, g := range b.Tables.Groups.All {
		all[b.Tables.Groups.Name(pattern)] = g.Sums
	}
	return all
}

func plainKey(db int, memory int64, name string) parser.Key {
	return parser.Key{DB: db, Name: []byte(name), NameLen: int64(len(name)), Elements: 1, ValueBytes: memory, Serialized: memory, Memory: memory,
		MemoryUsage: memory, Idle: -1, Freq: -1, Live: -1}
}

// values returns n names of one segment, in letters that are no hexadecimal digits.
func values(n int) (list []string) {
	const letters = "ghijklmnopqrstuvwxyz"
	for i := range n {
		list = append(list, string([]byte{letters[i%20], letters[i/20%20], letters[i/400%20], letters[i/8000%20]}))
	}
	return list
}
