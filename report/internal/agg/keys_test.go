package agg

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

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
		all[string(b.Tables.Groups.Name(pattern))] = g.Sums
	}
	return all
}

func plainKey(db int, memory int64, name string) parser.Key {
	return parser.Key{DB: db, Name: []byte(name), NameLen: int64(len(name)), Elements: 1, ValueBytes: memory, Serialized: memory, Memory: memory,
		MemoryUsage: memory, Idle: -1, Freq: -1, Live: -1}
}

// randomKeyspace returns keys of a few kinds of names, each with segments of
// vocabularies of any size, of which some words are frequent.
func randomKeyspace(r *rand.Rand, n int) []parser.Key {
	var kinds []func() string
	for kind := range 3 + r.IntN(6) {
		var segments []func() string
		for range 1 + r.IntN(4) {
			words := []int{1, 5, 50, 300, 3000, 8000}[r.IntN(6)]
			frequent, prefix := r.IntN(4), word(r, 8000)
			switch r.IntN(8) {
			case 0:
				segments = append(segments, func() string { return fmt.Sprint(r.IntN(1e6)) })
			case 1:
				segments = append(segments, func() string { return string(randomText(r, 12)) })
			default:
				segments = append(segments, func() string {
					if r.IntN(30) < frequent {
						return fmt.Sprintf("%shot%s", prefix, word(r, 3))
					}
					return prefix + word(r, words)
				})
			}
		}
		kinds = append(kinds, func() string {
			var name []string
			if kind%2 == 0 {
				name = append(name, "app"+word(r, 20)[:1])
			}
			for _, s := range segments {
				name = append(name, s())
			}
			return strings.Join(name, ":")
		})
	}
	keys := make([]parser.Key, n)
	for i := range keys {
		kind := min(r.IntN(len(kinds)), r.IntN(len(kinds)))
		keys[i] = plainKey(0, 40+int64(r.IntN(100)), kinds[kind]())
	}
	return keys
}

// reorder puts keys into one of several orders.
func reorder(r *rand.Rand, keys []parser.Key, order int) {
	switch order {
	case 0:
		r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	case 1:
		slices.SortStableFunc(keys, func(a, b parser.Key) int { return bytes.Compare(a.Name, b.Name) })
	case 2:
		slices.SortStableFunc(keys, func(a, b parser.Key) int { return bytes.Compare(b.Name, a.Name) })
	case 3:
		slices.SortStableFunc(keys, func(a, b parser.Key) int { return int(a.NameLen - b.NameLen) })
	}
	for i := range keys {
		keys[i].Offset = int64(i * 40)
	}
}

// values returns n names of one segment, in letters that are no hexadecimal digits.
func values(n int) (list []string) {
	const letters = "ghijklmnopqrstuvwxyz"
	for i := range n {
		list = append(list, string([]byte{letters[i%20], letters[i/20%20], letters[i/400%20], letters[i/8000%20]}))
	}
	return list
}
