package parser

import "strconv"

// best is the name of a key's largest element until now. Few keys are shown with
// it, so it is put into words for those alone.
type best struct {
	kind   uint8
	text   []byte // bestText, and for bestListpack the entry and what follows
	n      int64  // bytes of the whole text
	val    int64
	hi, lo uint64
}

const (
	bestNone     uint8 = iota
	bestText           // the first bytes of a string
	bestListpack       // an entry of a listpack
	bestInt            // a number
	bestIndex          // an item's index
	bestID             // a stream ID
)

// NameLargest sets LargestName and LargestNameLen.
func (k *Key) NameLargest() {
	b := &k.best
	if k.LargestName != nil || b.kind == bestNone {
		return
	}
	text := k.digits[:0]
	switch b.kind {
	case bestText:
		k.LargestName, k.LargestNameLen = b.text, b.n
		return
	case bestListpack:
		// It was walked before: nothing can be wrong with it.
		from := blob{buf: b.text, size: int64(len(b.text))}
		var e entry
		from.entry(listpackFormat, &e, 0)
		if !e.isInt {
			k.LargestName, k.LargestNameLen = cut(e.head, MaxElementName), e.n
			return
		}
		text = strconv.AppendInt(text, e.val, 10)
	case bestInt, bestIndex:
		text = strconv.AppendInt(text, b.val, 10)
	case bestID:
		text = strconv.AppendUint(text, b.hi, 10)
		text = append(text, '-')
		text = strconv.AppendUint(text, b.lo, 10)
	}
	k.LargestName, k.LargestNameLen = text, int64(len(text))
}

func (w *walker) bestIndex(i int64) { w.key.best.kind, w.key.best.val = bestIndex, i }

func (w *walker) bestInt(v int64) { w.key.best.kind, w.key.best.val = bestInt, v }

// bestString names the largest element after a string of the snapshot.
func (w *walker) bestString(s *str) {
	if s.kind == strInt {
		w.bestInt(s.val)
		return
	}
	text := w.text(s, MaxElementName)
	if w.refill != nil || s.kind != strPlain {
		w.bestBuf = append(w.bestBuf[:0], text...)
		text = w.bestBuf
	}
	w.bestText(text, s.n)
}

func (w *walker) bestText(text []byte, n int64) {
	b := &w.key.best
	b.kind, b.text, b.n = bestText, text, n
}

// bestEntry names the largest element after an entry of a packed encoding.
func (w *walker) bestEntry(b *blob, e *entry) {
	if e.isInt {
		w.bestInt(e.val)
		return
	}
	text := cut(e.head, MaxElementName)
	if !b.firm {
		w.bestBuf = append(w.bestBuf[:0], text...)
		text = w.bestBuf
	}
	w.bestText(text, e.n)
}

func appendInt(dst []byte, v int64) []byte { return strconv.AppendInt(dst, v, 10) }
