package thresholds

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// TestSlotSkewLimits checks the three limits of slot-skew at their bounds: 10 times
// the fair share, 10 MB, and 1,000 keys.
func TestSlotSkewLimits(t *testing.T) {
	const half = 11 << 20
	// One slot has half of all memory and 19 others have the other half: with 20
	// slots that have keys it has exactly 10 times its fair share.
	snapshot := func(hot int64, others int) func(add func(*parser.Key)) {
		return func(add func(*parser.Key)) {
			add(key("{hot}:1", str(hot)))
			rest := int64(half)
			for i := range others {
				size := rest / int64(others-i)
				rest -= size
				add(key(fmt.Sprintf("{t%d}:%d", i%19, i), str(size)))
			}
		}
	}
	slots := map[int]bool{naming.Slot([]byte("hot")): true}
	for i := range 19 {
		slots[naming.Slot(fmt.Appendf(nil, "t%d", i))] = true
	}
	if len(slots) != 20 {
		t.Fatalf("the tags are in %d slots", len(slots))
	}
	for _, c := range []struct {
		config string
		hot    int64
		others int
		want   bool
	}{
		{"", half, 999, false}, {"", half + 1, 999, true}, {"", half + 1, 998, false},
		{"rules: {slot-skew: {min_keys: 20}}", half + 1, 19, true}, {"rules: {slot-skew: {min_keys: 21}}", half + 1, 19, false},
		{"rules: {slot-skew: {min_size: 11MB}}", half + 1, 999, true}, {"rules: {slot-skew: {min_size: 12MB}}", half + 1, 999, false},
	} {
		list, _ := runInstance(t, &snapshotCase{profile: "default", cluster: true, config: c.config, keys: snapshot(c.hot, c.others)}, 333)
		found := false
		for _, f := range list {
			if f.Rule.Name() == "slot-skew" {
				found = true
				if SubjectText(f.Subject) != fmt.Sprintf("slot %d", naming.Slot([]byte("hot"))) || f.Keys != 1 || f.Bytes != c.hot || f.Measured != 1000 || f.Limit != 1000 {
					t.Errorf("%+v", f)
				}
			}
		}
		if found != c.want {
			t.Errorf("%s: %d bytes among %d keys: found %v", c.config, c.hot, c.others, found)
		}
	}
}

// TestHashTagSkewLimit checks the limit of 1 % of all memory at its bound.
func TestHashTagSkewLimit(t *testing.T) {
	const hot = 11 << 20
	for _, c := range []struct {
		others int64
		want   bool
	}{{99 * hot, false}, {99*hot - 1, true}} {
		list, _ := runInstance(t, &snapshotCase{profile: "default", cluster: true, keys: func(add func(*parser.Key)) {
			add(key("{hot}:1", str(hot)))
			add(key("plain", str(c.others)))
		}}, 1)
		if found := len(list) == 1 && list[0].Rule.Name() == "hashtag-skew" && list[0].Measured == 100; found != c.want {
			t.Errorf("beside %d bytes: %+v", c.others, list)
		}
	}
}

// TestTheSmallestTagsAreDropped fills the bound with tags of 1, 2, 3 ... bytes. The
// next one leaves the 8,192 largest, less what the largest of the others has.
func TestTheSmallestTagsAreDropped(t *testing.T) {
	tags := new(tagSizes)
	add := func(size int) {
		name := fmt.Appendf(nil, "{%d}", size)
		tags.add(&parser.Key{Name: name}, &naming.Facts{TagStart: 1, TagEnd: len(name) - 1}, int64(size))
	}
	for size := 1; size <= 16384; size++ {
		add(size)
	}
	if tags.pruned || len(tags.tags.list) != 16384 {
		t.Fatalf("%d tags, pruned: %v", len(tags.tags.list), tags.pruned)
	}
	add(16385)
	if !tags.pruned || len(tags.tags.list) != 8192+1 {
		t.Fatalf("%d tags, pruned: %v", len(tags.tags.list), tags.pruned)
	}
	for i := range tags.tags.list {
		n := &tags.tags.list[i]
		size, err := strconv.ParseInt(string(tags.tags.part(n)), 10, 64)
		if want := size - 8192; err != nil || size <= 8192 || n.bytes != want && size < 16385 || size == 16385 && n.bytes != size {
			t.Errorf("tag %s has %d bytes: %v", tags.tags.part(n), n.bytes, err)
		}
	}
}

// TestLongTags checks that the slot of a tag is asked for only where the tag is
// whole: its first 128 bytes are kept.
func TestLongTags(t *testing.T) {
	for _, length := range []int{1, 127, 129, 1000} {
		name := "{" + strings.Repeat("t", length) + "}:x"
		var e *Engine
		env := testEnv()
		env.Cluster = true
		e = mustLoad(t, LoadOptions{}).Compile(env)
		x := e.NewInstance()
		k := key(name, str(11<<20))
		x.Add(k, facts(e, k))
		list, _ := x.Findings()
		if len(list) != 1 || SubjectText(list[0].Subject) != "{"+strings.Repeat("t", min(length, 128))+"}" {
			t.Fatalf("%+v", list)
		}
		commands := 0
		for _, a := range e.AdviseInstance(list[0]) {
			commands += len(a.Commands)
		}
		if want := length < 128; want != (commands > 0) {
			t.Errorf("a tag of %d bytes: %d commands", length, commands)
		}
	}
}

// TestTagsBeyondTheBound checks what the documentation of hashtag-skew promises:
// sums are exact for up to 16,384 tags, and beyond that low by at most the memory of
// all tags divided by 8192, so that no tag with more is lost.
func TestTagsBeyondTheBound(t *testing.T) {
	for _, tags := range []int{16384, 16385, 50_000} {
		for seed := range uint64(3) {
			r := rand.New(rand.NewPCG(seed, uint64(tags)))
			sums := make([]totals, tags)
			total := int64(0)
			whole, part := new(tagSizes), new(tagSizes)
			add := func(tag int) {
				size := int64(1 + r.IntN(100))
				if tag%1000 == 0 { // some are large
					size *= 1000
				}
				name := fmt.Appendf(nil, "{t%d}", tag)
				part.add(&parser.Key{Name: name}, &naming.Facts{TagStart: 1, TagEnd: len(name) - 1}, size)
				sums[tag].add(totals{1, size})
				total += size
				if r.IntN(20_000) == 0 {
					whole.merge(part)
					part.reset()
				}
			}
			for _, tag := range r.Perm(tags) {
				add(tag)
			}
			for range tags {
				add(r.IntN(tags))
			}
			whole.merge(part)
			if whole.pruned != (tags > 16384) || len(whole.tags.list) > 16384 {
				t.Fatalf("%d tags: %d are kept, pruned: %v", tags, len(whole.tags.list), whole.pruned)
			}
			loss := int64(0)
			if whole.pruned {
				loss = total / 8192
			}
			for tag, want := range sums {
				name := fmt.Appendf(nil, "t%d", tag)
				i := whole.tags.find(hashBytes(name), name, len(name))
				switch {
				case i < 0 && want.bytes > loss:
					t.Fatalf("%d tags: %s is lost, which has %d of %d bytes", tags, name, want.bytes, total)
				case i >= 0:
					if n := &whole.tags.list[i]; n.bytes > want.bytes || n.bytes < want.bytes-loss || n.keys > want.keys || loss == 0 && n.keys != want.keys {
						t.Fatalf("%d tags: %s has %d bytes in %d keys, want %d in %d, at most %d less", tags, name, n.bytes, n.keys, want.bytes, want.keys, loss)
					}
				}
			}
		}
	}
}
