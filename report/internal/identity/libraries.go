package identity

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/rdblens/rdblens/parser"
)

// Recognisers returns what is known, by the name of the library. Nobody may change it.
func Recognisers() []*Recogniser { return recognisers() }

var recognisers = sync.OnceValue(func() (list []*Recogniser) {
	files, _ := fs.Glob(libraryFiles, "libraries/*.json")
	for _, file := range files {
		data, _ := libraryFiles.ReadFile(file)
		var some []*Recogniser
		if err := json.Unmarshal(data, &some); err != nil {
			panic("identity: " + file + ": " + err.Error()) // a test decodes the embedded files
		}
		list = append(list, some...)
	}
	slices.SortFunc(list, func(a, b *Recogniser) int {
		return strings.Compare(strings.ToLower(a.Library), strings.ToLower(b.Library))
	})
	return list
})

// libraryFiles has the recognisers by language. The names of fields are those of Recogniser and Shape.
//
//go:embed libraries
var libraryFiles embed.FS

// UnmarshalText reads the word of a type.
func (t *shapeType) UnmarshalText(word []byte) error {
	typ, known := parser.ParseType(string(word))
	if t.Type = typ; !known {
		return fmt.Errorf("unknown type %q", word)
	}
	return nil
}
