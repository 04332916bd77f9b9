package thresholds

import (
	"slices"
	"unsafe"
)

// timeline has what is known of consecutive minutes or hours, in pages that exist
// once they have keys: most snapshots have keys in few of the minutes.
type timeline[T any] struct {
	first int64 // minute or hour since the epoch
	pages []*[pageSize]T
	spare []*[pageSize]T // zeroed, to be used again
}

const pageSize = 64

// start makes an empty timeline begin when the snapshot was taken. If that is unknown,
// the first key that expires is in the middle.
func (t *timeline[T]) start(first, length int64, isKnown bool) {
	if !isKnown {
		first, length = first-length, 2*length
	}
	n := int((length + pageSize - 1) / pageSize)
	t.first, t.pages = first, slices.Grow(t.pages, n)[:n]
}

// reset empties the timeline and keeps its memory.
func (t *timeline[T]) reset() {
	for i, page := range t.pages {
		if page != nil {
			*page = [pageSize]T{}
			t.pages[i], t.spare = nil, append(t.spare, page)
		}
	}
	t.pages = t.pages[:0]
}

// at returns a minute or hour, nil if it is not covered.
func (t *timeline[T]) at(n int64) *T {
	i := uint64(n - t.first)
	if i/pageSize >= uint64(len(t.pages)) {
		return nil
	}
	page := t.pages[i/pageSize]
	if page == nil {
		if n := len(t.spare); n > 0 {
			page, t.spare = t.spare[n-1], t.spare[:n-1]
		} else {
			page = new([pageSize]T)
		}
		t.pages[i/pageSize] = page
	}
	return &page[i%pageSize]
}

// each calls a function for each minute or hour of the pages.
func (t *timeline[T]) each(do func(n int64, at *T)) {
	for p, page := range t.pages {
		if page == nil {
			continue
		}
		for i := range page {
			do(t.first+int64(p*pageSize+i), &page[i])
		}
	}
}

// eachOf calls a function for each minute or hour that has keys.
func eachOf(t *timeline[totals], do func(n int64, keys totals)) {
	t.each(func(n int64, at *totals) {
		if at.keys > 0 {
			do(n, *at)
		}
	})
}

func (t *timeline[T]) size() (n int64) {
	pages := len(t.spare)
	for _, page := range t.pages {
		if page != nil {
			pages++
		}
	}
	return int64(pages)*int64(unsafe.Sizeof([pageSize]T{})) + sliceSize(t.pages)
}
