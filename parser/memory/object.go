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
// MEMORY USAGE of 7.2 adds the metadata of the whole dict instead, a pointer to
// its database (dictMetadataSize in dict.h).
const (
	slotPointers = 16
	dictPointer  = 8
)

// keySizes gives what a key takes whose value is not in the object's block:
// name, object, its place in the key table, and its expiry. The key table's
// buckets are the instance's.
func (m *Model) keySizes(f *Facts) (alloc, usage int64) {
	switch m.object {
	case objEntry:
		name := m.mem.block(m.sds.heap(f.NameLen))
		alloc = name + m.entryBlock + object
		usage = name + 24 + object
		if m.cluster && m.since.Major == 7 && m.since.Minor < 4 {
			alloc += m.mem.block(24+slotPointers) - m.entryBlock
			if m.since.Minor == 0 {
				usage += slotPointers
			} else {
				usage += dictPointer
			}
		}
		if f.TTL {
			alloc += m.entryBlock
		}
		return alloc, usage
	case objEntryName:
		// The dictEntry has the header's length before the name. The key of a
		// command has a header with room to grow.
		size := m.sds.size(f.NameLen)
		if m.live {
			size = m.sds.flagged(f.NameLen)
		}
		alloc = m.mem.block(17+size) + object
		usage = alloc
		if f.TTL {
			alloc += m.entryBlock
		}
		return alloc, usage
	}
	size := object + 1 + m.sds.size(f.NameLen)
	expiry := f.TTL || f.NameLen >= keyFrom
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
	case m.usage == usageExact && m.since.Minor >= 8:
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
func (m *Model) key(name int64, ttl bool) (alloc, usage int64) {
	if uint64(name) < tabled {
		p := m.keyPair(name, ttl)
		return p.alloc(), p.usage()
	}
	return m.keySizes(&Facts{NameLen: name, TTL: ttl})
}

func (m *Model) keyPair(name int64, ttl bool) pair {
	if ttl {
		return m.keys[1][name]
	}
	return m.keys[0][name]
}

// Text gives what a key takes whose name and value have so many bytes: what
// Sizes says of a StringText, by a shorter way.
func (m *Model) TextSizes(name, text int64, ttl bool) (alloc, usage int64) {
	if m.object > objEntryName && text <= m.mostText {
		if size := m.embedded(name, text, ttl); size > 0 {
			alloc = m.mem.block(size)
			return alloc, alloc
		}
	}
	if uint64(name) < tabled && uint64(text) < tabled {
		p := m.keyPair(name, ttl) + m.texts[text] // neither half overflows
		return p.alloc(), p.usage()
	}
	alloc, usage = m.key(name, ttl)
	a, u := m.besideKey(text)
	return alloc + a, usage + u
}

// Number gives what a key takes that holds a number: what Finish says of a
// StringInt. With a clock (an idle time or LFU counter) no number is shared.
func (m *Model) IntegerSizes(name, value int64, ttl, clock bool) (alloc, usage int64) {
	alloc, usage = m.key(name, ttl)
	if m.object <= objEntryName && uint64(value) < sharedIntegers && !clock {
		alloc -= object
	}
	return alloc, usage
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
func (m *Model) embedded(name, text int64, ttl bool) int64 {
	named := m.sds.size(name) + 1
	if m.object == objKVOver { // shouldEmbedStringObject in Valkey's object.c
		const limit, head = 128, object - 8
		bare := head + named + text + 4
		if bare > limit {
			return 0
		}
		size := head + named + max(text+4, 8)
		if ttl && m.spare(size) == 0 {
			if bare+8 > limit {
				return 0
			}
			size += 8
		}
		return size
	}
	// The limit takes every name to have the shortest header.
	const limit = 64
	bare := object + name + 3 + 4 + text
	if bare > limit {
		return 0
	}
	size := object + named + 4 + text
	switch {
	case !ttl:
		return size
	case m.object == objKVBefore: // kvobjSet in Redis' object.c: the expiry does not count
		return size + 8
	case m.spare(size) > 0:
		return size
	case bare+8 > limit:
		return 0
	}
	return size + 8
}
