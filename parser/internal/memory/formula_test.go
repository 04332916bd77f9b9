package memory

import "testing"

// TestKeysByFormula compares what keys with texts and integers take with the formulas
// that were measured on servers, at every length near a limit. J rounds up to jemalloc's
// classes; S is a string with its header: 1 byte if it has less than 32 (3 if it is
// empty), 3, 5 or 9, and a zero byte.
func TestKeysByFormula(t *testing.T) {
	J := func(n int64) int64 { // classes of 8 up to 64, of 16 up to 128, then four for each doubling
		switch {
		case n <= 64:
			return max(8, (n+7)/8*8)
		case n <= 128:
			return (n + 15) / 16 * 16
		}
		step := int64(32)
		for n > 8*step {
			step *= 2
		}
		return (n + step - 1) / step * step
	}
	header := func(n int64, limits ...int64) int64 {
		for i, limit := range limits {
			if n < limit {
				return int64(1 + 2*i)
			}
		}
		return 9
	}
	classic := func(n int64) int64 { return header(n, 32, 256, 65536) + n + 1 }
	tight := func(n int64) int64 { return header(n, 32, 253, 65531) + n + 1 }
	alone := func(size func(int64) int64, n int64) int64 {
		if n == 0 {
			return J(4)
		}
		return J(size(n))
	}
	// inObject is a key whose name is in its object: head bytes before the name, and
	// a value of value bytes there if all are at most limit.
	inObject := func(name, text, head, value int64, ttl bool, bare, limit int64) (alloc int64, embedded bool) {
		size := head + 1 + tight(name) + value
		switch {
		case bare > limit:
		case !ttl || J(size)-size >= 8:
			return J(size), true
		case bare+8 <= limit:
			return J(size + 8), true
		}
		size = 16 + 1 + tight(name)
		if ttl || name >= 128 {
			size += 8
		}
		return J(size) + alone(tight, text), false
	}
	type formula func(name, text int64, ttl bool) (alloc, usage int64)
	redis := func(embstr func(n int64) int64) formula {
		return func(name, text int64, ttl bool) (alloc, usage int64) {
			alloc = alone(classic, name) + 24
			usage = alloc
			if ttl {
				alloc += 24
			}
			if text <= 44 {
				return alloc + J(20+text), usage + embstr(text)
			}
			return alloc + 16 + J(classic(text)), usage + 16 + J(classic(text))
		}
	}
	valkey80 := func(state string) formula {
		return func(name, text int64, ttl bool) (alloc, usage int64) {
			size := tight(name)
			if state == "live" && name < 32 {
				size += 2
			}
			alloc = J(17 + size)
			usage = alloc
			if ttl {
				alloc += 24
			}
			value := 16 + J(tight(text))
			if text <= 44 {
				value = J(20 + text)
			}
			return alloc + value, usage + value
		}
	}
	valkey81 := func(name, text int64, ttl bool) (alloc, usage int64) {
		alloc, embedded := inObject(name, text, 16, 4+text, ttl, 16+name+3+4+text, 64)
		if !embedded {
			return alloc, 16 + alone(tight, text)
		}
		return alloc, alloc
	}
	valkey9 := func(name, text int64, ttl bool) (alloc, usage int64) {
		alloc, _ = inObject(name, text, 8, max(4+text, 8), ttl, 8+tight(name)+1+4+text, 128)
		return alloc, alloc
	}
	names := []int64{65530, 65531, 65535, 65536}
	texts := []int64{65530, 65531, 65535, 65536}
	for n := range int64(135) {
		names, texts = append(names, n), append(texts, n)
	}
	for n := int64(250); n < 260; n++ {
		names, texts = append(names, n), append(texts, n)
	}
	for _, state := range States() {
		for server, want := range map[string]formula{
			"redis-6.2": redis(func(n int64) int64 { return 16 + n + 2 }), "redis-7.0": redis(func(n int64) int64 { return J(20 + n) }), "redis-8.0": redis(func(n int64) int64 { return J(20 + n) }),
			"valkey-8.0": valkey80(state), "valkey-8.1": valkey81, "valkey-9": valkey9,
		} {
			m := mustChoose(t, Options{Server: server, State: state})
			for _, ttl := range []bool{false, true} {
				for _, name := range names {
					for _, text := range texts {
						alloc, usage := m.TextSizes(name, text, ttl)
						if a, u := want(name, text, ttl); alloc != a || usage != u {
							t.Fatalf("%s, %s, a name of %d bytes and a text of %d, expiry %v: %d and %d, want %d and %d", server, state, name, text, ttl, alloc, usage, a, u)
						}
					}
					// An integer is in its object; up to 9999 that is shared where the object
					// has nothing else, unless the server evicts.
					_, shares := map[string]bool{"redis-6.2": true, "redis-7.0": true, "redis-8.0": true, "valkey-8.0": true}[server]
					for value, shared := range map[int64]bool{-1: false, 0: true, 9999: true, 10000: false} {
						for _, eviction := range []bool{false, true} {
							alloc, usage := m.IntegerSizes(name, value, ttl, eviction)
							a, u := want(name, 1000, ttl) // a text of its own block, without that
							a -= J(tight(1000))
							if server == "valkey-8.1" {
								u = 16
							} else {
								u -= J(tight(1000))
							}
							if shares && shared && !eviction {
								a -= 16
							}
							if alloc != a || usage != u {
								t.Fatalf("%s, %s, a name of %d bytes and %d, expiry %v, eviction %v: %d and %d, want %d and %d", server, state, name, value, ttl, eviction, alloc, usage, a, u)
							}
						}
					}
				}
			}
		}
	}
}

// TestModuleValues has values of modules, and of types that no model covers: beside the key
// a structure of 16 bytes, which MEMORY USAGE does not count, nor the object where the
// name is not in it.
func TestModuleValues(t *testing.T) {
	for server, want := range map[string]struct{ alloc, usage int64 }{
		// A name of 3 bytes: 8 beside an entry of 24 and an object of 16; one block of 16 or 17 and 1+3+1 bytes.
		"redis-7.0": {8 + 24 + 16, 8 + 24}, "redis-8.0": {8 + 24 + 16, 8 + 24}, "redis-8.6": {24, 24}, "valkey-8.0": {24 + 16, 24}, "valkey-8.1": {24, 0}, "valkey-9": {24, 24},
	} {
		var a Accumulator
		a.Reset(mustChoose(t, Options{Server: server, State: "reloaded"}))
		got := a.Sizes(&Facts{Shape: ModuleValue, NameLen: 3, Allocated: 1000, Usage: 500})
		if got != (Sizes{Allocated: want.alloc + 16 + 1000, Usage: want.usage + 500, Compact: -1}) {
			t.Errorf("%s: %+v, want %+v", server, got, want)
		}
		if got := a.Sizes(&Facts{Shape: ModuleValue, NameLen: 3, Approximate: true}); !got.Approximate || got.LowerBound {
			t.Errorf("%s: %+v", server, got)
		}
		other := a.Sizes(&Facts{Shape: Other, NameLen: 3, Serialized: 100})
		if other.Allocated != want.alloc+100 || !other.LowerBound || other.Compact != -1 {
			t.Errorf("%s: %+v", server, other)
		}
	}
}

// TestArraySlices has slices of arrays at their limits: a sparse one has room for 4, 8 or
// 10 elements of 2 and 8 bytes beside 32, a dense one for a window of at least 8 that
// doubles, of 4,096 at most. A text has 2 bytes more, 8 from 32,768 on.
func TestArraySlices(t *testing.T) {
	m := mustChoose(t, Options{Server: "redis-8.10", State: "reloaded"})
	spread := func(n int, step uint64) (list []uint64) {
		for i := range n {
			list = append(list, uint64(i)*step)
		}
		return list
	}
	for _, c := range []struct {
		name    string
		indexes []uint64
		text    int64
		want    int64 // without the array and its directory
	}{
		{"4", spread(4, 100), -1, 80}, {"5", spread(5, 100), -1, 112}, {"8", spread(8, 100), -1, 112}, {"9", spread(9, 100), -1, 160}, {"10", spread(10, 100), -1, 160}, // 72, 112, 136
		{"11 beside each other", spread(11, 1), -1, 160}, {"16", spread(16, 1), -1, 160}, {"17", spread(17, 1), -1, 320}, {"32", spread(32, 1), -1, 320}, {"33", spread(33, 1), -1, 640},
		{"11 apart", spread(11, 2), -1, 320}, {"4096", spread(4096, 1), -1, 40960}, {"the last of 4096", append(spread(10, 1), 4095), -1, 40960}, {"half of them", append(spread(10, 1), 2047), -1, 20480}, {"more than half", append(spread(10, 1), 2048), -1, 40960},
		{"an empty text", []uint64{7}, 0, 80 + 8}, {"texts", []uint64{7, 8}, 6, 80 + 2*8}, {"a long text", []uint64{7}, 1<<15 - 1, 80 + 40960}, {"a longer text", []uint64{7}, 1 << 15, 80 + 40960}, {"a text at a class", []uint64{7}, 40960 - 8, 80 + 40960}, {"a text behind a class", []uint64{7}, 40960 - 7, 80 + 49152},
	} {
		var a Accumulator
		for range 2 {
			a.Reset(m)
			for _, i := range c.indexes {
				a.AddArrayElement(i, c.text)
			}
			if got := m.arraySizes(&a); got != 80+8+c.want {
				t.Errorf("%s: %d, want %d", c.name, got, 80+8+c.want)
			}
		}
	}
	for slices, want := range map[uint64]int64{1: 8, 2: 16, 3: 32, 4: 32, 5: 64, 2048: 16384} { // a directory of a power of two
		var a Accumulator
		a.Reset(m)
		a.AddArrayElement((slices-1)*4096, -1)
		if got := m.arraySizes(&a); got != 80+80+want {
			t.Errorf("slice %d alone: %d, want %d", slices, got, 80+80+want)
		}
	}
}
