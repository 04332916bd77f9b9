package rdb

// A Layout is how the values of a type stand in the file.
type Layout struct {
	Kind Kind
	// Of a counted layout: the strings of an element, and what else it has. Of a
	// packed block: the entries of an element.
	Strings uint8
	Beside  Beside
	Block   BlockFormat
	// MinExpire reports whether the eight bytes of a hash's earliest field
	// expiry precede the value.
	MinExpire bool
	Variant   uint8 // of the kind, where it says so
}

// Kind is a kind of layout.
type Kind uint8

const (
	None      Kind = iota // no type of the dialect
	Text                  // one string, the value
	Packed                // one string that holds a packed block
	Counted               // a count, and as many elements
	Quicklist             // a count, and as many nodes; variant 2: each with its kind before it
	Stream                // variants 1 to 5, as the constants below say
	Module                // an ID, and values each with its kind, up to an end mark
	Array                 // of Redis 8.8
	Template              // values of a hash; variant: TemplateOwn, TemplatePacked
	Number                // one length
	Cron                  // of KeyDB
	Filter                // of Dragonfly: variant 2 has its bits in chunks
	CountMin              // sketches of Dragonfly
	TopK
	Cuckoo
	Paths   // of Valkey 9.2
	Refused // not read
)

// Variants of streams, and what each adds.
const (
	StreamPlain    = 1 + iota
	StreamCounters // entries added and read, first and greatest deleted ID
	StreamActive   // active time of consumers
	StreamIdempotent
	StreamNacked // IDs that consumers returned (XNACK)
)

// Variants of hashes with a template.
const (
	TemplateOwn    = 1 << iota // the names precede the values
	TemplatePacked             // the values are a listpack
)

// Beside is what an element of a counted layout has beside its strings.
type Beside uint8

const (
	BesideNothing  Beside = iota // its strings alone
	ScoreText                    // after: a length byte and as many characters, or 253 to 255
	ScoreBinary                  // after: eight bytes
	ExpiryAbsolute               // before: a length, ms since the epoch, 0 none
	ExpiryRelative               // before: a length, 0 none, else ms since the earliest expiry, plus 1
	ExpiryBinary                 // after: eight bytes, ms since the epoch, -1 none
	ExpirySeconds                // after: a string, seconds since an epoch of Dragonfly's, -1 none
)

var besides = [...]struct {
	led     bool  // a length precedes the strings
	strings uint8 // strings more
	tail    uint8 // bytes after the strings
	unknown bool  // only the walker knows where it ends
}{
	ScoreText:      {unknown: true},
	ScoreBinary:    {tail: 8},
	ExpiryAbsolute: {led: true},
	ExpiryRelative: {led: true},
	ExpiryBinary:   {tail: 8},
	ExpirySeconds:  {strings: 1},
}

// BlockFormat is the format of a packed block.
type BlockFormat uint8

const (
	BlockListpack BlockFormat = iota
	BlockZiplist
	BlockZipmap
	BlockIntset
)

// Format returns how the entries of a listpack or ziplist are written.
func (b BlockFormat) Format() *Format {
	if b == BlockZiplist {
		return Ziplist
	}
	return Listpack
}

// element returns the layout of an element of a counted layout or a quicklist in
// the file: whether a length precedes it, its strings, and the bytes after them.
func (l *Layout) element() (led bool, strings, tail int) {
	e := &besides[l.Beside]
	return e.led || l.Kind == Quicklist && l.Variant == 2, int(l.Strings + e.strings), int(e.tail)
}
