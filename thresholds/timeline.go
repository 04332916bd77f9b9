package thresholds

import "unsafe"

// timeline has what is known of consecutive minutes or hours, in pages that exist
// once they have keys: most snapshots have keys in few of the minutes.
type timeline[T any] struct {
	first int64 // minute or hour since the epoch
	pages []*[pageSize]T
}

const pageSize = 64

// makeTimeline returns a timeline that begins when the snapshot was taken. If that
// is unknown, the first key that expires is in the middle.
func makeTimeline[T any](first, length int64, isKnown bool) timeline[T] {
	if !isKnown {
		first, length = first-length, 2*length
	}
	return timeline[T]{first, make([]*[pageSize]T, (length+pageSize-1)/pageSize)}
}

// at returns a minute or hour, nil if it is not covered.
func (t *timeline[T]) at(n int64) *T {
	i := uint64(n - t.first)
	if i/pageSize >= uint64(len(t.pages)) {
		return nil
	}
	page := t.pages[i/pageSize]
	if page == nil {
		page = new([pageSize]T)
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
	for _, page := range t.pages {
		if page != nil {
			n += int64(unsafe.Sizeof(*page))
		}
	}
	return n + sliceSize(t.pages)
}
