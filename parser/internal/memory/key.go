package memory

const (
	// sharedIntegers is the number of integers, from 0 on, of which a server
	// keeps one object for all keys (OBJ_SHARED_INTEGERS).
	sharedIntegers = 10000
	// objectSize is the size of a value's object (robj in server.h).
	objectSize = 16
	// dictEntrySize is the size of a dictEntry, and noValueEntrySize that of one
	// without a value (dict.c).
	dictEntrySize    = 24
	noValueEntrySize = 16
	// reservingName is the length of a name from which on the key's object
	// always has room for an expiry (KEY_SIZE_TO_INCLUDE_EXPIRE_THRESHOLD in
	// object.c).
	reservingName = 128
	// In cluster mode Redis 7.0 and 7.2 add two pointers to a key's dictEntry.
	// MEMORY USAGE of 7.2 adds the metadata of the whole dict in their place, a
	// pointer to its database (dictMetadataSize in dict.h).
	slotPointers = 16
	dictPointer  = 8
	// maxEmbstr is the longest text that is in the block of its object
	// (OBJ_ENCODING_EMBSTR_SIZE_LIMIT in object.c).
	maxEmbstr = 44
	// maxOverlay is the same for Valkey 9: what the header sdshdr8 can hold.
	maxOverlay = 255
)

// computeKey returns what a key takes whose value is not inside its object:
// name, object, entry in the key table, expiry. The buckets of the key table
// belong to the instance.
func (m *Model) computeKey(name int64, ttl bool) (alloc, usage int64) {
	switch m.key {
	case keySeparate:
		block := m.usable(m.sds.separate(name))
		alloc = block + m.dictEntry + objectSize
		usage = block + dictEntrySize + objectSize
		if m.cluster && m.since.Major == 7 && m.since.Minor < 4 {
			alloc += m.usable(dictEntrySize+slotPointers) - m.dictEntry
			if m.since.Minor == 0 {
				usage += slotPointers
			} else {
				usage += dictPointer
			}
		}
		if ttl {
			alloc += m.dictEntry
		}
		return alloc, usage
	case keyInEntry:
		// The size of the name's header precedes the name. A name that came with
		// a command has a header with room to grow.
		size := m.sds.size(name)
		if m.live {
			size = m.sds.flagged(name)
		}
		alloc = m.usable(17+size) + objectSize
		usage = alloc
		if ttl {
			alloc += m.dictEntry
		}
		return alloc, usage
	}
	size := objectSize + 1 + m.sds.size(name)
	expiry := ttl || name >= reservingName
	if expiry {
		size += 8
	}
	alloc = m.usable(size)
	switch {
	case m.usage == usageWithoutName:
		return alloc, objectSize
	case m.usage == usageExact && m.key == keyInObject:
		if !expiry && m.hasRoomForExpiry(size) {
			size += 8
		}
		return alloc, size
	case m.usage == usageExact && m.since.Minor >= 8:
		return alloc, size
	}
	return alloc, alloc
}

// hasRoomForExpiry reports whether the block for size bytes has 8 to spare: an
// expiry then needs no further memory.
func (m *Model) hasRoomForExpiry(size int64) bool { return m.usable(size)-size >= 8 }

// keySizes is computeKey, looked up for short names.
func (m *Model) keySizes(name int64, ttl bool) (alloc, usage int64) {
	if uint64(name) < tabled {
		p := m.keyPair(name, ttl)
		return p.alloc(), p.usage()
	}
	return m.computeKey(name, ttl)
}

func (m *Model) keyPair(name int64, ttl bool) pair {
	if ttl {
		return m.key1[name]
	}
	return m.key0[name]
}

// TextSizes returns what a key takes whose name has name bytes and whose value is
// a text of text bytes: Accumulator.Sizes of a StringText, without Facts.
func (m *Model) TextSizes(name, text int64, ttl bool) (alloc, usage int64) {
	if m.key > keyInEntry && text <= m.maxEmbedded {
		if size := m.embeddedSize(name, text, ttl); size > 0 {
			alloc = m.usable(size)
			return alloc, alloc
		}
	}
	if uint64(name) < tabled && uint64(text) < tabled {
		p := m.keyPair(name, ttl) + m.texts[text] // neither half overflows
		return p.alloc(), p.usage()
	}
	alloc, usage = m.keySizes(name, ttl)
	a, u := m.textBesideObject(text)
	return alloc + a, usage + u
}

// IntegerSizes returns what a key takes that holds an integer: Accumulator.Sizes
// of a StringInt, without Facts. No integer is shared on a server with an LRU or
// LFU policy, which eviction reports.
func (m *Model) IntegerSizes(name, value int64, ttl, eviction bool) (alloc, usage int64) {
	alloc, usage = m.keySizes(name, ttl)
	if m.key <= keyInEntry && uint64(value) < sharedIntegers && !eviction {
		alloc -= objectSize
	}
	return alloc, usage
}

// textBesideObject returns what a text of n bytes adds to a key whose object has
// no value inside.
func (m *Model) textBesideObject(n int64) (alloc, usage int64) {
	if m.key > keyInEntry || n > maxEmbstr {
		return m.stringSizes(n)
	}
	alloc = m.usable(objectSize+valueHeader+n) - objectSize
	if m.ziplists {
		return alloc, n + 2
	}
	return alloc, alloc
}

// embeddedSize returns the size of an object with name, expiry and text inside,
// 0 if the server gives the text a block of its own.
func (m *Model) embeddedSize(name, text int64, ttl bool) int64 {
	header := m.sds.size(name) + 1 // with the byte for the header's size
	if m.key == keyOverlay {       // shouldEmbedStringObject in Valkey's object.c
		const limit, head = 128, objectSize - 8
		bare := head + header + text + valueHeader
		if bare > limit {
			return 0
		}
		size := head + header + max(text+valueHeader, 8)
		if ttl && !m.hasRoomForExpiry(size) {
			if bare+8 > limit {
				return 0
			}
			size += 8
		}
		return size
	}
	// The limit assumes that every name has the shortest header.
	const limit = 64
	bare := objectSize + name + 3 + text + valueHeader
	if bare > limit {
		return 0
	}
	size := objectSize + header + text + valueHeader
	switch {
	case !ttl:
		return size
	case m.key == keyBehindMetadata: // kvobjSet in Redis' object.c: the expiry does not count
		return size + 8
	case m.hasRoomForExpiry(size):
		return size
	case bare+8 > limit:
		return 0
	}
	return size + 8
}
