package thresholds

// Class is the set of kinds of bytes that a name holds.
type Class uint32

// The kinds of bytes. A byte is of one kind, but for tab, newline, vertical
// tab, form feed and carriage return, which are white space and control
// characters.
const (
	ClassLower      Class = 1 << iota // a-z
	ClassUpper                        // A-Z
	ClassDigit                        // 0-9
	ClassDot                          // .
	ClassColon                        // :
	ClassUnderscore                   // _
	ClassHash                         // #
	ClassOperator                     // - + =
	ClassBrace                        // { }
	ClassSpace                        // space, tab, newline, vertical tab, form feed, carriage return
	ClassQuote                        // ' " `
	ClassBackslash                    // \
	ClassControl                      // under 0x20, and 0x7f
	ClassHigh                         // 0x80 and over: UTF-8, or not text
	ClassOther                        // the rest of ASCII: ! $ % & ( ) * , / ; < > ? @ [ ] ^ | ~
)

// Facts is what rules and groups need to know of a name, found in one pass
// over its bytes by Namer.Facts. Positions are byte offsets into the name.
type Facts struct {
	Class Class // kinds of bytes in the name
	First byte  // the first byte, 0 in an empty name
	// Segments counts the parts between separators: 1 in a name without any,
	// an empty name included.
	Segments     int
	EmptySegment bool // two separators in a row, or one at an end, or an empty name
	FirstEnd     int  // end of the first segment
	LastStart    int  // start of the last segment
	// TagStart and TagEnd enclose the content of the hash tag, by the rule of
	// Redis Cluster: between the first { and the next }, unless that is empty.
	// Without one both are 0.
	TagStart, TagEnd int
	// Group is the hash of the text that Namer.AppendPattern gives. It is the
	// same in every run.
	Group uint64

	named, calm uint16 // by type, whether Engine.Check has looked at the name, and found nothing to look into
}
