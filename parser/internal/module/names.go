package module

import "sync/atomic"

// Names are the hashes of the names of members that documents of a snapshot have,
// for modules that keep each name once for all documents: the first document in
// the file with a name is charged for it. Beyond maxNames every document is.
//
// Several goroutines may use it. A name that is not there is added by the one
// whose values come first in the file, which the others wait to be, so that the
// outcome does not depend on how many they are.
type Names struct {
	table atomic.Pointer[nameSlots] // nil before the first name
	n     atomic.Int64
}

type nameSlots [2 * maxNames]atomic.Uint64

const maxNames = 1 << 16

// add adds a name by its hash. It returns false if it is there. inOrder, if not
// nil, returns when all values before the current one have been walked.
func (t *Names) add(h uint64, inOrder func()) bool {
	if t == nil {
		return true
	}
	h |= 1 // 0 is a free slot
	slots := t.table.Load()
	if slots == nil {
		t.table.CompareAndSwap(nil, new(nameSlots))
		slots = t.table.Load()
	}
	if _, found := slots.find(h); found {
		return false
	}
	if t.n.Load() >= maxNames {
		return true
	}
	if inOrder != nil {
		inOrder()
	}
	slot, found := slots.find(h)
	if found || t.n.Load() >= maxNames {
		return !found
	}
	slots[slot].Store(h)
	t.n.Add(1)
	return true
}

// find returns the slot of a hash, or the free one in its place.
func (t *nameSlots) find(h uint64) (slot uint64, found bool) {
	for slot = h >> 40; ; slot++ {
		slot %= uint64(len(t))
		switch t[slot].Load() {
		case h:
			return slot, true
		case 0:
			return slot, false
		}
	}
}
