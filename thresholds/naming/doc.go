// Package naming finds out what rules and reports need to know about the names
// of keys: kinds of characters, segments, hash tags, cluster slots, and the
// pattern that groups a name with others like it. It also compiles patterns as
// KEYS takes them, and the character sets and word lists that a team sets for
// its names. It knows nothing of rules or of Redis values.
//
// # Facts
//
// A [Namer] is made for a set of separators. [Namer.Facts] takes one pass over a
// name and fills a [Facts]: which kinds of bytes occur (see [Class]), how many
// segments there are, where the first ends and the last begins, whether one is
// empty, where the content of the hash tag lies, and the hash of the pattern.
//
// # Patterns
//
// The pattern of a name is the name with everything that varies from key to key
// replaced by a star:
//
//	user:10086:profile                          user:*:profile
//	user123                                     user*
//	session:9f86d081884c7d659a2feaa0            session:*
//	req:550e8400-e29b-41d4-a716-446655440000    req:*
//	stat:2024-01-31:hits                        stat:*:hits
//	{user:1000}:following                       {user:*}:following
//
// These parts of a name are replaced:
//
//   - every run of digits 0-9, also inside a word;
//   - every run of 8 or more hexadecimal digits that contains a 0-9: without one
//     it is more likely a word, such as "defaced";
//   - a UUID: 8-4-4-4-12 hexadecimal digits with hyphens, whatever the digits;
//   - a date: a year from 1000 to 2999, a month and perhaps a day, separated by
//     one of - / . _ (2024-01, 2024.01.31);
//   - everything after the first [MaxPattern] bytes.
//
// Adjacent replaced bytes make one star. A star in the name itself counts as
// replaced, so the pattern of a pattern is that pattern. Separators play no part
// in a pattern, nor do the braces of a hash tag; the report splits patterns at separators,
// also in hash tags, to merge groups further.
//
// [Namer.AppendPattern] returns the text of a pattern. Most users need only its
// hash, Facts.Group, which is computed without building the text. [HashPattern]
// computes the same hash from the text. It is the same in every run and on every
// machine; it is not keyed, so it must not be used where an attacker gains by
// collisions.
//
// # Speed
//
// Facts are needed for every key of a snapshot, so this is among the most
// executed code of the program.
//
//   - Names of up to 64 bytes, which almost all are, are scanned eight bytes at a
//     time into bit masks, one bit a byte: digits, letters a-f, separators. Runs,
//     possible UUIDs and possible dates are then found with shifts and ANDs of
//     these masks. Only a name in which something other than digits may have to
//     be replaced takes the slower path. Longer names are treated in parts of 64
//     bytes.
//   - Most names of a snapshot differ from an earlier one in the values of their
//     digits only, and then all their facts are equal. A [Cache] recognizes such
//     names by comparing words of eight bytes in which digits are masked, which
//     takes a tenth of the time of Namer.Facts. Without it, a scan of short
//     strings takes 41% more time. The cache bypasses itself while it does not
//     help, as with random names.
//   - What a caller derives from the facts alone can be kept beside them, see
//     Facts.Checked; a Cache returns it with the facts.
//
// A Namer is immutable and may be shared. A Cache belongs to one goroutine.
package naming
