package language

import (
	"strings"

	"github.com/rdblens/rdblens/parser/message"
)

// Catalogue returns the sentences of the language, nil for English.
func (l Language) Catalogue() *message.Catalogue {
	if l != Chinese {
		return nil
	}
	return &message.Catalogue{
		Lookup: func(id string) (string, bool) { to, ok := entries()[id]; return to, ok },
		Figure: func(s string) string {
			if n, ok := strings.CutSuffix(strings.TrimSuffix(s, "s"), " byte"); ok {
				return n + " 字节"
			}
			to, _ := figure(s)
			return to
		},
		Wide: true,
	}
}
