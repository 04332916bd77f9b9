package parser

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// TestLargeElements has elements at the size from which on the beginning of the largest is
// kept, and the length of the longest value of a hash: 1,024 bytes, in values of every type
// and of every form, and in buffers that have them whole or not.
func TestLargeElements(t *testing.T) {
	packed := map[byte]string{'l': "listpack", 'z': "ziplist", 'm': "zipmap", 'n': "node", 'c': "counted", 'p': "plain node", 'a': "array", 't': "template", 'u': "packed template", 'h': "paths"}
	for _, c := range []struct {
		magic string
		typ   byte
		form  byte
		pairs bool
	}{
		{"REDIS0011", 1, 'c', false}, {"REDIS0011", 2, 'c', false}, {"REDIS0011", 3, 'c', false}, {"REDIS0011", 5, 'c', false}, {"REDIS0011", 4, 'c', true}, {"REDIS0012", 22, 'c', true}, {"REDIS0012", 24, 'c', true}, {"VALKEY080", 22, 'c', true},
		{"REDIS0009", 9, 'm', true}, {"REDIS0009", 10, 'z', false}, {"REDIS0009", 12, 'z', false}, {"REDIS0009", 13, 'z', true}, {"REDIS0009", 14, 'n', false},
		{"REDIS0011", 16, 'l', true}, {"REDIS0011", 17, 'l', false}, {"REDIS0011", 20, 'l', false}, {"REDIS0012", 23, 'l', true}, {"REDIS0012", 25, 'l', true}, {"REDIS0011", 18, 'n', false}, {"REDIS0011", 18, 'p', false},
		{"REDIS0014", 28, 'a', false}, {"REDIS0015", 31, 't', true}, {"REDIS0015", 29, 'u', true}, {"VALKEY081", 23, 'h', true},
	} {
		for _, size := range []int{1023, 1024, 5000, 70_000, 300_000} {
			for at := range 3 {
				if c.form == 'm' && size == 300_000 || size > 1024 && at != 1 {
					continue
				}
				fields, values := []string{"one", "two", "three"}, []string{"a", "bb", "c"}
				values[at] = fmt.Sprint(at) + strings.Repeat("v", size)
				values[at] = values[at][:size]
				if c.pairs {
					values[at] = values[at][:size-len(fields[at])]
				}
				value := newRDB("")
				var entries []any
				stored := func(i int) {
					switch c.form {
					case 'c':
						switch {
						case c.typ == 22 && c.magic[0] == 'R', c.typ == 24:
							value.len(0)
						}
						if c.pairs {
							value.str(fields[i])
						}
						value.str(values[i])
						switch {
						case c.typ == 5:
							value.le64(int64(math.Float64bits(1)))
						case c.typ == 3:
							value.raw(1, "1")
						case c.typ == 22 && c.magic[0] == 'V':
							value.le64(-1)
						}
					case 'p':
						value.len(1).str(values[i])
					case 'a':
						value.len(uint64(i + 7)).len(0).str(values[i])
					case 'h':
						value.str(fmt.Sprint("path", i)).len(1).str(fields[i], values[i])
					default:
						if c.pairs {
							entries = append(entries, fields[i])
						}
						entries = append(entries, values[i])
						switch c.typ {
						case 12, 17:
							entries = append(entries, i)
						case 23, 25:
							entries = append(entries, 0)
						}
					}
				}
				switch {
				case c.typ == 24 || c.typ == 25:
					value.le64(0)
				}
				switch c.form {
				case 'c', 'p', 'h':
					value.len(3)
				case 'a':
					value.len(3).len(0)
				case 't':
					value.len(1).len(3).str(fields...).str(values...)
				}
				switch c.form {
				case 't':
				case 'u':
					value.len(0).str(listpack(fields[0], fields[1], fields[2])).str(listpack(7, values[0], values[1], values[2]))
				default:
					for i := range 3 {
						stored(i)
					}
				}
				switch c.form {
				case 'l':
					value.str(listpack(entries...))
				case 'z':
					value.str(ziplist(entries...))
				case 'm':
					value.str(zipmap(0, fields[0], values[0], fields[1], values[1], fields[2], values[2]))
				case 'n':
					value.len(1)
					if c.typ == 18 {
						value.len(2).str(listpack(entries...))
					} else {
						value.str(ziplist(entries...))
					}
				}
				in := newRDB(c.magic).raw(0xfe, 0).key(c.typ, "key").raw(value.b).key(0, "next").str("v").end()
				largest, longest, sum, longestValue := int64(size), int64(len(values[at])), int64(0), int64(0)
				for i := range 3 {
					sum += int64(len(values[i]))
					if c.pairs {
						sum += int64(len(fields[i]))
					}
				}
				head, name := "", ""
				if size >= 1024 {
					head = values[at][:MaxHead]
					if c.pairs {
						longestValue = longest
					}
				}
				switch {
				case c.pairs:
					name = fields[at]
				case c.form == 'a':
					name = fmt.Sprint(at + 7)
				case c.form == 'n' || c.form == 'p' || c.typ == 1 || c.typ == 10:
					name = fmt.Sprint(at)
				default:
					name = values[at][:min(size, MaxElementName)]
				}
				want := fmt.Sprintf("%d %d %d %d %d %q %q %d", 3, sum, largest, longest, longestValue, head, name, len(value.b))
				for how, keys := range readings(t, in, withMemory) {
					k := keys[0]
					if got := fmt.Sprintf("%d %d %d %d %d %q %q %d", k.Elements, k.ValueBytes, k.Largest, k.Longest, k.LongestValue, k.Head, k.LargestName, k.Serialized); got != want || len(keys) != 2 {
						t.Errorf("%s: type %d (%s), %d bytes at %d:\n got %.300s\nwant %.300s", how, c.typ, packed[c.form], size, at, got, want)
					}
				}
			}
		}
	}
}
