package agg

import "github.com/rdblens/rdblens/parser"

// A state has figures without what others let expect of them, which is often all. differ subtracts
// what is expected (with sign -1), or adds it (1): then each expectation is made of figures that have
// theirs already. Whatever changes here is another form of the state.

func (s *keyState) differ(sign int64) {
	plain := s
	if sign < 0 {
		plain = new(*s)
	}
	s.NameLen += sign * int64(len(plain.Name))
	s.LargestNameLen += sign * int64(len(plain.LargestName))
	s.Size += sign * sizeOf(&parser.Key{Memory: plain.Memory, ValueBytes: plain.ValueBytes})
	if plain.LZFOut > 0 {
		s.LZFIn += sign * plain.ValueBytes
	}
	s.Serialized += sign * (plain.ValueBytes - plain.LZFIn + plain.LZFOut + 2*plain.Elements)
	s.MemoryUsage += sign * plain.Memory
	s.Longest += sign * plain.Largest
}

func (s *entryState) differ(list int, of *RetainedKey, sign int64) {
	r := &of.KeyRecord
	switch {
	case s.Finding == nil && list == hotList:
		s.Value += sign * int64(r.Freq)
	case s.Finding == nil:
		s.Value += sign * [Measures]int64{r.Memory, r.MemoryUsage, r.ValueBytes, r.Elements, r.Serialized,
			r.Largest}[list%Measures]
	default:
		s.Second += sign * of.size
	}
}

func (s *sampleState) differ(k *RetainedKey, sign int64) {
	s.Type += parser.Type(sign) * k.Type
	s.DB += int(sign) * k.DB
	s.Elements += sign * k.Elements
	if k.Type == parser.String {
		s.Bytes += sign * k.ValueBytes
	}
	s.TTL = s.TTL != k.HasExpire
}

func (s *groupState) differ(created map[int32]int64, sign int64) {
	plain := s
	if sign < 0 {
		plain = new(*s)
	}
	if s.Largest != nil {
		if sign < 0 {
			plain.Largest = new(*s.Largest)
		}
		s.Largest.differ(sign)
		k := plain.Largest
		s.Elements += sign * orZero(k.Elements)
		s.ValueBytes += sign * orZero(k.ValueBytes)
		s.Serialized += sign * orZero(k.Serialized)
		s.Memory += sign * orZero(k.Memory)
		s.MemoryUsage += sign * (plain.Memory + orZero(k.MemoryUsage) - orZero(k.Memory))
		s.NameBytes += sign * k.NameLen
		s.Owner += int32(sign) * k.Owner
		s.Type += int32(sign) * int32(k.Type)
		s.CommonDB += int32(sign) * int32(k.DB)
		s.Types ^= 1 << k.Type
		if !k.HasExpire {
			s.WithoutTTL += sign * plain.Keys
		}
		left, _ := TTL(&parser.Key{HasExpire: k.HasExpire, ExpireAt: k.ExpireAt}, created[k.Input])
		s.TTLLeast += sign * left
	}
	s.TTLMost += sign * plain.TTLLeast
	if plain.WithoutTTL == plain.Keys {
		s.MemoryWithoutTTL += sign * plain.Memory
	}
	s.IdleMost += sign * plain.IdleLeast
	for i := range s.Findings {
		if f := &s.Findings[i]; differKeys(&f.Keys, plain.Keys, sign) {
			f.ValueBytes += sign * plain.ValueBytes
			f.Memory += sign * plain.Memory
		}
	}
	for i := range s.Soon {
		if n := &s.Soon[i]; differKeys(&n.Keys, plain.Keys, sign) {
			n.Memory += sign * plain.Memory
		}
	}
}

// differKeys is differ for a number of keys. It reports whether these are all keys.
func differKeys(keys *int64, all, sign int64) bool {
	before := *keys
	*keys += sign * all
	return sign < 0 && *keys == 0 || sign > 0 && before == 0
}
