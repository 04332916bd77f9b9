package parser

// A Layout is how the values of a type stand in the file.
type Layout struct {
	kind kind
	// Of a counted layout: the strings of an element, and what else it has. Of a
	// packed block: the entries of an element.
	strings uint8
	beside  beside
	block   blockFormat
	// minExpire reports whether the eight bytes of a hash's earliest field
	// expiry precede the value.
	minExpire bool
	variant   uint8 // of the kind, where it says so
}

// kind is a kind of layout.
type kind uint8

const (
	layoutNone      kind = iota // no type of the dialect
	layoutText                  // one string, the value
	layoutBlock                 // one string that holds a packed block
	layoutCounted               // a count, and as many elements
	layoutQuicklist             // a count, and as many nodes; variant 2: each with its kind before it
	layoutStream                // variants 1 to 5, as the constants below say
	layoutModule                // an ID, and values each with its kind, up to an end mark
	layoutArray
	layoutTemplate // values of a hash; variant: templateOwn, templatePacked
	layoutNumber   // one length
	layoutCron
	layoutFilter // of Dragonfly: variant 2 has its bits in chunks
	layoutCountMin
	layoutTopK
	layoutCuckoo
	layoutRefused // not read: typeRow.why says why
)

// Variants of streams, and what each adds.
const (
	streamPlain    = 1 + iota
	streamCounters // entries added and read, first and greatest deleted ID
	streamActive   // active time of consumers
	streamIdempotent
	streamNacked // IDs that consumers returned (XNACK)
)

// Variants of hashes with a template.
const (
	templateOwn    = 1 << iota // the names precede the values
	templatePacked             // the values are a listpack
)

// beside is what an element of a counted layout has beside its strings.
type beside uint8

const (
	besideNothing  beside = iota
	scoreText             // behind: a length byte and so many characters, or 253 to 255
	scoreBinary           // behind: eight bytes
	expiryAbsolute        // before: a length, ms since the epoch, 0 none
	expiryRelative        // before: a length, 0 none, else ms since the earliest expiry, plus 1
	expiryBinary          // behind: eight bytes, ms since the epoch, -1 none
	expirySeconds         // behind: a string, seconds since an epoch of Dragonfly's, -1 none
)

// besides says for each how it stands in the file.
var besides = [...]struct {
	led     bool  // a length precedes the strings
	strings uint8 // strings more
	tail    uint8 // bytes after the strings
	unknown bool  // only the walker knows where it ends
}{
	scoreText:      {unknown: true},
	scoreBinary:    {tail: 8},
	expiryAbsolute: {led: true},
	expiryRelative: {led: true},
	expiryBinary:   {tail: 8},
	expirySeconds:  {strings: 1},
}

// blockFormat is the format of a packed block.
type blockFormat uint8

const (
	blockListpack blockFormat = iota
	blockZiplist
	blockZipmap
	blockIntset
)

// format returns how the entries of a listpack or ziplist are written.
func (b blockFormat) format() *packedFormat {
	if b == blockZiplist {
		return ziplistFormat
	}
	return listpackFormat
}

// element returns the layout of an element of a counted layout or a quicklist in
// the file: whether a length precedes it, its strings, and the bytes after them.
func (l *Layout) element() (led bool, strings, tail int) {
	e := &besides[l.beside]
	return e.led || l.kind == layoutQuicklist && l.variant == 2, int(l.strings + e.strings), int(e.tail)
}
