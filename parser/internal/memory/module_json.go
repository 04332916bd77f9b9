package memory

import "strconv"

// JSON documents. valkey-json: measured on its state of June 2026 with Valkey 8.1
// and 9.1, exact for documents whose names are all in others, and for those that
// add names within the sizes of the table of names. RedisJSON 1.0: measured on
// 1.0.8. RedisJSON 2.0 and later, whose documents are ijson's: by its source alone.

type documentKind uint8

const (
	valkeyJSON documentKind = iota
	redisJSON1
	ijson
)

// Document begins a document of an encoding version of ReJSON-RL.
func (s *ModuleSizes) Document(version int) {
	switch {
	case s.model == nil:
	case s.model.valkey:
		s.document = valkeyJSON
		s.full(32) // JDocument in dom.h
	case version <= 1:
		s.document = redisJSON1
		s.block(16) // JSONType_t in json_object.h
	default:
		s.document = ijson
		s.Approximate = true
		s.block(8)
	}
	s.computeTexts()
}

// SharesNames reports whether the names of members are kept once for all
// documents.
func (s *ModuleSizes) SharesNames() bool { return s.model != nil && s.document != redisJSON1 }

// Name adds a name of n bytes that no other document has (KeyTable_Layout in
// keytable.h of valkey-json). MEMORY USAGE does not count it.
func (s *ModuleSizes) Name(n int64) {
	if s.document == valkeyJSON {
		s.hidden(nameHeader + n)
	} else {
		s.block(8 + n)
	}
}

const nameHeader = 14

// Member adds a member of an object, with a name of n bytes, of RedisJSON 1.0.
func (s *ModuleSizes) Member(n int64) {
	s.block(redisJSONNode)
	s.block(n + 1)
}

// redisJSONNode is the size of a node of RedisJSON 1.0 (Node in object.h).
const redisJSONNode = 24

// ShortText adds a string of n bytes, less than ShortTexts.
func (s *ModuleSizes) ShortText(n int64) {
	t := &s.texts[n]
	s.Allocated += t.allocated
	s.Usage += t.usage
}

// ShortTexts bounds the strings whose sizes are computed once, in bytes.
const ShortTexts = 128

// A textSize is what a text takes, in bytes.
type textSize struct{ allocated, usage int64 }

// computeTexts computes the sizes of short texts, if they differ from those of the
// document before.
func (s *ModuleSizes) computeTexts() {
	if s.textsOf == s.model && s.textsIn == s.document {
		return
	}
	s.textsOf, s.textsIn = s.model, s.document
	var of ModuleSizes
	for n := range s.texts {
		of.Reset(s.model)
		of.document = s.document
		of.Text(int64(n))
		s.texts[n] = textSize{of.Allocated, of.Usage}
	}
}

// Text adds a string of n bytes.
func (s *ModuleSizes) Text(n int64) {
	const short = 13 // kept in the place of the pointer to it
	switch {
	case s.model == nil:
	case s.document == redisJSON1:
		s.block(redisJSONNode)
		s.block(n)
	case s.document == ijson:
		s.block(8 + n)
	case n > short:
		s.full(n + 1)
	}
}

// Number adds a number by its text, of which integer says whether it has digits
// alone.
func (s *ModuleSizes) Number(text []byte, integer bool) {
	if s.model == nil {
		return
	}
	const short = 15
	if integer && len(text) >= 19 {
		_, err := strconv.ParseInt(string(text), 10, 64)
		integer = err == nil
	}
	switch {
	case integer:
	case s.document == ijson:
		s.Double()
	case len(text) > short:
		s.full(int64(len(text)) + 1)
	}
}

// Integer adds an integer, Double a floating-point number, Boolean true or false:
// where they are not kept in the place of the pointer to them.
func (s *ModuleSizes) Integer() { s.node() }

func (s *ModuleSizes) Boolean() { s.node() }

func (s *ModuleSizes) Double() {
	if s.document == ijson {
		s.block(8)
		return
	}
	s.node()
}

// Literal adds null, or true or false in a text.
func (s *ModuleSizes) Literal() {}

// node adds a node of RedisJSON 1.0 without anything else.
func (s *ModuleSizes) node() {
	if s.document == redisJSON1 {
		s.block(redisJSONNode)
	}
}

// Array adds an array of n items, Object an object of n members.
func (s *ModuleSizes) Array(n int64) {
	switch {
	case s.model == nil:
	case s.document == redisJSON1:
		s.block(redisJSONNode)
		s.block(8 * n)
	case s.document == ijson:
		s.block(16 + 8*n)
	case n > 0:
		s.full(16 * n)
	}
}

func (s *ModuleSizes) Object(n int64) {
	const (
		member   = 24 // handle of the name, value
		slot     = 32 // member in a hash table
		table    = 64 // members from which on there is one (json.hash-table-min-size)
		fillRate = 0.85
	)
	switch {
	case s.model == nil:
	case s.document == redisJSON1:
		s.block(redisJSONNode)
		s.block(8 * n)
	case s.document == ijson:
		s.block(16 + 16*n + 8*(n+n/4))
	case n > table:
		s.full(slot * (int64(float64(n)/fillRate) + 1))
	case n > 0:
		s.full(member * n)
	}
}

// TypedArray adds an array of numbers of one type in n bytes.
func (s *ModuleSizes) TypedArray(n int64) { s.block(16 + n) }
