package memory

// This file follows the loader (rdbLoadObject in rdb.c) where it leaves a table
// that is still being moved from a smaller or larger one. A table is moved by
// one bucket at each insert, and by nothing while nobody touches it.

// hashTableFor returns the table of a hash of n fields that had as many as had before.
//
// A loader that finds more fields than a listpack takes makes the table for all
// of them. With fewer it fills a listpack until a string is too long for one,
// moves what it has into a table of that size, and goes on: firstLong is the
// number of the field with that string, 0 if there is none. A hash whose fields
// expire grows from nothing on Redis.
func (m *Model) hashTableFor(n, had, firstLong int64, expiring bool) table {
	switch {
	case m.live:
		return m.shrunkTable(n, had)
	case m.hashtable:
		if n > maxPackedFields || firstLong == 0 || expiring {
			return m.tableFor(n)
		}
		return m.convertedHashtable(n, firstLong)
	case expiring && n > maxPackedFields:
		return insertedDict(n)
	case n > maxPackedFields || firstLong == 0:
		return table{buckets: dictBuckets(n)}
	}
	return m.convertedDict(n, firstLong, expiring)
}

// A growingDict is a dict while entries are inserted. It doubles when it is full,
// and each further insert moves one bucket of the old table that is not empty.
type growingDict struct {
	table
	used  int64
	steps int64 // inserts until the old table is gone
}

func (d *growingDict) insert() {
	if d.steps > 0 {
		if d.steps--; d.steps == 0 {
			d.old = 0
		}
	}
	if d.steps == 0 && d.used >= d.buckets {
		d.resize(dictBuckets(d.used + 1))
	}
	d.used++
}

// resize begins to move the entries, unless they are being moved.
func (d *growingDict) resize(buckets int64) {
	if d.steps > 0 || buckets == d.buckets {
		return
	}
	d.old, d.buckets = d.buckets, buckets
	d.steps = filledBuckets(d.used, d.old)
}

// insertedDict returns the dict of n entries that were inserted one by one.
func insertedDict(n int64) table {
	t := table{buckets: dictBuckets(n)}
	if full := t.buckets / 2; full >= 4 && n-full <= filledBuckets(full, full) {
		t.old = full
	}
	return t
}

// convertedDict returns the dict of a hash of n fields whose field number
// firstLong fits no listpack. It is made for the fields before that one, and
// then sized for those to come, unless it is being moved: behind that field, or
// before it if fields expire.
func (m *Model) convertedDict(n, firstLong int64, expiring bool) table {
	d := growingDict{table: table{buckets: dictBuckets(firstLong - 1)}, used: firstLong - 1}
	if expiring {
		d.resize(m.convertedBuckets(&d, n-firstLong, n))
	}
	d.insert()
	if !expiring {
		d.resize(m.convertedBuckets(&d, n-firstLong, n))
	}
	for d.used < n {
		d.insert()
	}
	return d.table
}

// convertedBuckets returns for how many buckets the loader asks when it has put
// the fields of a listpack into a dict, and rest out of n fields are to come. A dict
// with more entries than it asks for stays as it is (dictExpand in dict.c).
func (m *Model) convertedBuckets(d *growingDict, rest, n int64) int64 {
	if m.sizesForAll {
		rest = n
	}
	if d.used > rest {
		return d.buckets
	}
	return dictBuckets(rest)
}

// convertedHashtable is convertedDict for Valkey's hashtable, which moves one
// bucket at each insert.
func (m *Model) convertedHashtable(n, firstLong int64) table {
	used := firstLong - 1
	t := table{buckets: loadedBuckets(max(used, 1))}
	steps, moving := int64(0), int64(0) // buckets to be moved, and the entries that were in all of them
	resize := func(entries int64) {
		t.old, t.buckets = t.buckets, loadedBuckets(entries)
		steps, moving = t.old, used
	}
	for used < n {
		if steps > 0 {
			if steps--; steps == 0 {
				t.old = 0
			}
		}
		if steps == 0 && used+1 > bucketEntries*t.buckets {
			resize(used + 1)
		}
		used++
		if rest := n - used; used == firstLong && rest >= used && steps == 0 && loadedBuckets(rest) != t.buckets {
			resize(rest)
		}
	}
	t.setMovingChildren(n, moving, steps)
	return t
}

// insertedHashtable returns the hashtable of n entries that were inserted one by
// one: with the entry that no longer fits it doubles, and each further one moves
// a bucket of the old table (hashtable.c).
func insertedHashtable(n int64) table {
	t := table{buckets: grownBuckets(n)}
	old := t.buckets / 2
	moving := bucketEntries * old
	moved := n - moving - 1
	if moved < old {
		t.old = old
	}
	t.setMovingChildren(n, moving, old-moved)
	return t
}

// Resizing returns what the second table takes, in bytes, of a table of n elements that were
// inserted one by one: 0 if all of them have moved by then, or after a restart.
func (m *Model) Resizing(n int64) int64 {
	if !m.live {
		return 0
	}
	t := insertedDict(n)
	if m.hashtable {
		t = insertedHashtable(n)
	}
	size, _ := m.bucketSizes(t)
	settled, _ := m.bucketSizes(m.tableFor(n))
	return max(0, size-settled)
}

// setMovingChildren sets the child buckets of a hashtable of n entries, of which
// moving were in the old table when it began to be moved, and steps of whose
// buckets are not moved yet.
func (t *table) setMovingChildren(n, moving, steps int64) {
	if t.old == 0 {
		t.children = childBuckets(n, t.buckets)
		return
	}
	t.children = childBuckets(n-moving*steps/t.old, t.buckets) + childBuckets(moving, t.old)*steps/t.old
}

// oldIntsetTable returns the buckets of the old table of a set of n members that
// a server before Redis 7.2 has loaded, 0 if there is none. It begins small sets
// as intsets: at the first member that is not an integer it makes a table for
// the leading ones, then one for all, and each member from that one on moves a
// bucket that is not empty.
func oldIntsetTable(leading, n int64) int64 {
	old := dictBuckets(leading)
	if leading == 0 || old == dictBuckets(n) || n-leading >= filledBuckets(leading, old) {
		return 0
	}
	return old
}
