// Package identity tells which library or product wrote the keys of a group, and what
// they are for: waiting jobs, a session, a lock.
//
// # Recognisers
//
// A recogniser is an object in a file of the directory libraries: the library, and its
// shapes. A shape says how a name is built, the type, what stands in the value, and what is true
// of such keys: their role, whether they have no TTL by design, the setting that bounds
// them, and how they may be deleted. Names are templates. The part {P} in front is
// learned from the names and never assumed, because nearly every library lets its user
// choose it.
//
// # Signs
//
// A shape counts 0, 1 or 2 signs. One sign is a name that nobody else is likely to
// choose, or a value that only this library writes; a common word is none, nor is a type.
// A library is recognised at a prefix when the shapes that were found there have two
// signs together, so a neighbour can be the second one. Then its other keys at that
// prefix are named, also those whose shape has no sign of its own. With less nothing is
// named: a false name is worse than none.
//
// What no library is recognised in may have a layout that says what it is for, such as a
// lock or a leaderboard (see layout). That is worded as a likeness.
//
// # Samples
//
// The names and values are those of a few keys of each group, which a Sampler takes in
// the pass: up to 3 of each class of keys that agree in pattern, type, database and
// whether they expire. A leaf of a report's tree needs to keep nothing: a sample is
// assigned to its group by its name when the groups are final. A Pool keeps at most 2,048
// classes, and 128 classes of one type whose names begin with the same two segments, the
// first ones in the order of the snapshots: 2 MB where names are random words, 25 MB where
// every key has 16 long fields. A group beyond that has no sample. Then it is named by the
// name of its largest key alone, if a library is known at its prefix.
package identity
