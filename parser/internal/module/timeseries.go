package module

import "math"

// timeSeries walks a series of RedisTimeSeries, whose elements are its samples.
// Encoding versions: 0 up to 1.0.3, 1 of 1.2, 2 of 1.4 to 1.6.0, 3 to 5 up to
// 1.6.19, 6 and 7 of 1.8 to 1.10, 8 of 1.12 to 8.4, 9 since 8.6. Source:
// series_rdb_save in rdb.c of each release.
func (r *Reader) timeSeries(version int) {
	key := r.length()
	r.Retention = int64(min(r.uint(), math.MaxInt64))
	size := r.count() // of a chunk
	uncompressed := version < 1 || r.uint()&1 != 0
	if version >= 2 {
		r.Last = int64(min(r.uint(), math.MaxInt64)) // chunks that are not compressed have their first alone
		r.double()                                   // last value
		r.uint()                                     // samples
	}
	if version >= 3 {
		r.uint() // duplicate policy
	}
	source := int64(-1)
	if version >= 2 && r.uint() != 0 {
		source = r.length()
	}
	if version >= 8 {
		r.uint()
		r.double()
	}
	r.Sizes.TimeSeries(key, source)
	r.Labels = r.count()
	for i := int64(0); i < r.Labels && !r.failed; i++ {
		name := r.length()
		r.Sizes.Label(name, r.length())
	}
	r.Sizes.Labels(r.Labels)
	r.Rules = r.count()
	for i := int64(0); i < r.Rules && !r.failed; i++ {
		r.rule(version)
	}
	if version < 2 {
		r.plainSamples()
		r.Sizes.PlainSamples(r.Elements, 16*size) // it is a number of samples
		return
	}
	r.Chunks = r.count()
	for i := int64(0); i < r.Chunks && !r.failed; i++ {
		r.chunk(uncompressed, i)
	}
	r.Sizes.Chunks()
}

func (r *Reader) rule(version int) {
	destination := r.length()
	r.uint() // bucket
	if version >= 6 {
		r.uint() // alignment
	}
	aggregation := r.uint()
	r.uint() // start of the bucket
	if version >= 9 {
		r.uint() // the state is valid
	}
	context := int64(24)
	switch aggregation {
	case 1, 2, 8: // least, greatest, range
		r.doubles(2)
		if version < 6 {
			r.length()
		}
		context = 16
	case 3, 5, 7, 14, 15: // sum, count, last, count of NaN, count of all
		r.double()
		if version >= 3 && version < 7 {
			r.uint()
		}
	case 6: // first
		r.double()
		if version >= 3 {
			r.uint()
		}
	case 4: // average
		r.doubles(2)
		if version >= 4 {
			r.uint()
		}
	case 9, 10, 11, 12: // deviation and variance
		r.doubles(2)
		r.uint()
	case 13: // time-weighted average
		r.double()
		r.uint()
		r.double()
		r.uints(7)
		context = 72
	default:
		r.reject()
	}
	r.Sizes.Rule(destination, context)
}

func (r *Reader) chunk(uncompressed bool, i int64) {
	var count int64
	var first, last uint64
	if uncompressed {
		first, count = r.uint(), r.count()
		r.uint() // size
	} else {
		r.uint() // size
		count = r.count()
		r.uints(2) // bits, first value
		first = r.uint()
		last = r.uint()
		r.uints(4) // last delta and value, zero bits before and behind it
	}
	n := r.data()
	r.Elements += count
	if i == 0 {
		r.First = int64(min(first, math.MaxInt64))
	}
	r.Last = max(r.Last, int64(min(max(first, last), math.MaxInt64)))
	r.Sizes.Chunk(first, n, !uncompressed)
	if r.largest(n) {
		r.Index = i
	}
}

// plainSamples walks the samples of an old series, which have no chunks.
func (r *Reader) plainSamples() {
	r.Elements = r.count()
	r.Bytes = 16 * r.Elements
	r.Largest, r.Longest = min(16, r.Bytes), min(16, r.Bytes)
	for i := int64(0); i < r.Elements && !r.failed; i++ {
		at := int64(min(r.uint(), math.MaxInt64))
		r.double()
		if i == 0 {
			r.First = at
		}
		r.Last = at
	}
}
