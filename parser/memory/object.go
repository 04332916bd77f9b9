package memory

// sharedIntegers are the numbers from 0 on of which a server keeps one object
// for all keys (OBJ_SHARED_INTEGERS).
const sharedIntegers = 10000

// object is the size of a value's head (robj).
const object = 16

// keyFrom is the length of a name from which on there is room for an expiry
// (KEY_SIZE_TO_INCLUDE_EXPIRE_THRESHOLD).
const keyFrom = 128

// cluster mode of Redis 7.0 and 7.2 adds two pointers to a key's dictEntry;
// MEMORY USAGE of 7.2 adds the table of all slots instead (dictMetadataSize).
const (
	slotPointers = 16
	slotTable    = 16384 * 16
)

// keySizes gives what a key takes whose value is not in the object's block:
// name, object, its place in the key table, and its expiry. The key table's
// buckets are the instance's.
func (m *Model) keySizes(f *Facts) (alloc, usage int64) {
	switch m.object {
	case objEntry:
		name := m.mem.block(m.sds.heap(f.KeyLen))
		alloc = name + m.entryBlock + object
		usage = name + 24 + object
		if m.cluster && m.major == 7 && m.minor < 4 {
			alloc += m.mem.block(24+slotPointers) - m.entryBlock
			if m.minor == 0 {
				usage += slotPointers
			} else {
				usage += slotTable
			}
		}
		if f.TTL {
			alloc += m.entryBlock
		}
		return alloc, usage
	case objEntryName:
		// The dictEntry has the header's length before the name. The key of a
		// command has a header with room to grow.
		size := m.sds.size(f.KeyLen)
		if m.live {
			size = m.sds.flagged(f.KeyLen)
		}
		alloc = m.mem.block(17+size) + object
		usage = alloc
		if f.TTL {
			alloc += m.entryBlock
		}
		return alloc, usage
	}
	size := object + 1 + m.sds.size(f.KeyLen)
	expiry := f.TTL || f.KeyLen >= keyFrom
	if expiry {
		size += 8
	}
	alloc = m.mem.block(size)
	switch {
	case m.usage == usageNoName:
		return alloc, object
	case m.usage == usageExact && m.object == objKV:
		if !expiry {
			size += m.spare(size)
		}
		return alloc, size
	case m.usage == usageExact && m.minor >= 8:
		return alloc, size
	}
	return alloc, alloc
}

// spare gives 8 where the block of a request of size bytes has room for an
// expiry, which then costs nothing when it is set, else 0.
func (m *Model) spare(size int64) int64 {
	if m.mem.block(size)-size >= 8 {
		return 8
	}
	return 0
}

// key is keySizes, looked up for short names.
func (m *Model) key(f *Facts) (alloc, usage int64) {
	if uint64(f.KeyLen) < tabled {
		ttl := 0
		if f.TTL {
			ttl = 1
		}
		p := m.keys[ttl][f.KeyLen]
		return p.alloc(), p.usage()
	}
	return m.keySizes(f)
}

// intSizes gives what a key with a number takes.
func (m *Model) intSizes(f *Facts) (alloc, usage int64) {
	alloc, usage = m.key(f)
	if m.object <= objEntryName && f.Int >= 0 && f.Int < sharedIntegers && !f.Clock {
		alloc -= object
	}
	return alloc, usage
}

// textSizes gives what a key with any other string takes.
func (m *Model) textSizes(f *Facts) (alloc, usage int64) {
	if m.object > objEntryName {
		if size := m.embedded(f); size > 0 {
			alloc = m.mem.block(size)
			return alloc, alloc
		}
	}
	alloc, usage = m.key(f)
	if uint64(f.Text) < tabled {
		p := m.texts[f.Text]
		return alloc + p.alloc(), usage + p.usage()
	}
	a, u := m.stringSizes(f.Text)
	return alloc + a, usage + u
}

// smallText is the length up to which an object of its own holds its text
// (OBJ_ENCODING_EMBSTR_SIZE_LIMIT).
const smallText = 44

// besideKey gives what a text takes beside a key with an empty object.
func (m *Model) besideKey(n int64) (alloc, usage int64) {
	if m.object > objEntryName || n > smallText {
		return m.stringSizes(n)
	}
	alloc = m.mem.block(object+3+n+1) - object
	if m.ziplists {
		return alloc, n + 2
	}
	return alloc, alloc
}

// embedded gives the size of an object that holds name, expiry and text in one
// block, 0 where they do not fit one.
func (m *Model) embedded(f *Facts) int64 {
	name := m.sds.size(f.KeyLen) + 1
	switch m.object {
	case objKVOver: // shouldEmbedStringObject in Valkey's object.c
		size := object - 8 + name + max(f.Text+4, 8)
		if f.Text > 255 || object-8+name+f.Text+4 > 128 {
			return 0
		}
		if f.TTL && m.spare(size) == 0 {
			if object-8+name+f.Text+4+8 > 128 {
				return 0
			}
			size += 8
		}
		return size
	case objKVBefore: // kvobjSet in Redis' object.c: the expiry is not counted
		if f.Text > smallText || object+f.KeyLen+3+4+f.Text > 64 {
			return 0
		}
		size := object + name + 4 + f.Text
		if f.TTL {
			size += 8
		}
		return size
	}
	if f.Text > smallText || object+f.KeyLen+3+4+f.Text > 64 {
		return 0
	}
	size := object + name + 4 + f.Text
	if f.TTL && m.spare(size) == 0 {
		if object+f.KeyLen+3+4+f.Text+8 > 64 {
			return 0
		}
		size += 8
	}
	return size
}
