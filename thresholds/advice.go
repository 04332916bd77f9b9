package thresholds

import "github.com/rdblens/rdblens/parser"

// The kinds of advice.
const (
	adviseLook     = "look"
	adviseCost     = "cost"
	adviseSplit    = "split"
	adviseEncoding = "encoding"
	adviseTTL      = "ttl"
	adviseName     = "name"
	adviseDelete   = "delete"
	adviseQueue    = "queue"
	adviseInstance = "instance"
)

// lengthCommands return the length of a value in constant time.
var lengthCommands = map[parser.Type]string{parser.String: "STRLEN %s", parser.List: "LLEN %s", parser.Set: "SCARD %s", parser.ZSet: "ZCARD %s",
	parser.Hash: "HLEN %s", parser.Stream: "XLEN %s"}

// inspect adds commands that show the key without blocking, however big it is.
func (x *explainer) inspect() {
	if x.arg == "" {
		return
	}
	list := []string{"TYPE %s"}
	if c, ok := lengthCommands[x.key.Type]; ok {
		list = append(list, c)
	}
	list = append(list, "OBJECT ENCODING %s", "PTTL %s")
	switch {
	case x.key.Idle >= 0:
		list = append(list, "OBJECT IDLETIME %s")
	case x.key.Freq >= 0:
		list = append(list, "OBJECT FREQ %s")
	}
	if x.server.memoryUsage() {
		list = append(list, "MEMORY USAGE %s")
	}
	x.advise(adviseLook, x.commands(list...), "Inspect it on the server.")
}

const renameSentence = "Change the name where it is written, in all programs at once, and let the old keys expire; or rename the existing keys."

// rename adds how to change a name, after what is wrong with it.
func (x *explainer) rename() { x.advise(adviseName, nil, renameSentence) }

// adviseCharacters is the advice on names with characters that they must not have.
func adviseCharacters(x *explainer) {
	x.advise(adviseName, nil, "Build names from letters, digits and separators; encode user input (hexadecimal, base32) before it becomes part of a name.")
	x.rename()
}
