// Package language has the program's sentences in other languages.
//
// English is the language of machine formats, and the identifier of a sentence. A
// catalogue (zh.json: one entry a line, sorted) maps the English template of a
// message to that of another language, with the same {names}. A sentence that it
// lacks stays English. Words that users type stay as they are: severities, rules,
// types, encodings, flags.
package language

import (
	_ "embed"
	"encoding/json"
	"strings"
	"sync"

	"github.com/rdblens/rdblens/parser/message"
)

// Language is a language that reports and help can be written in. The zero Language
// is English.
type Language string

// The languages.
const (
	English Language = "en"
	Chinese Language = "zh"
)

// All returns the languages, English first.
func All() []string { return []string{string(English), string(Chinese)} }

// FromLocale returns the language that the environment asks for: that of the first
// of LC_ALL, LC_MESSAGES and LANG that is set, English if it is another one.
func FromLocale(getenv func(string) string) Language {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if locale := getenv(name); locale != "" {
			if strings.HasPrefix(locale, string(Chinese)) {
				return Chinese
			}
			break
		}
	}
	return English
}

// Catalogue returns the sentences of the language, nil for English.
func (l Language) Catalogue() *message.Catalogue {
	if l != Chinese {
		return nil
	}
	return chinese()
}

//go:embed zh.json
var zh []byte

var chinese = sync.OnceValue(func() *message.Catalogue {
	var entries map[string]string
	if err := json.Unmarshal(zh, &entries); err != nil {
		panic(err) // a test reads it
	}
	return &message.Catalogue{
		Lookup: func(id string) (string, bool) { to, ok := entries[id]; return to, ok },
		Figure: figure,
		Wide:   true,
	}
})

// units are those of figures, in Chinese; sizes keep theirs.
var units = map[string]string{"d": " 天", "h": " 小时", "m": " 分钟", "s": " 秒", "ms": " 毫秒", "x": " 倍", "bytes": " 字节",
	"byte": " 字节", "ago": "前"}

// figure returns a number with its units ("1d 2h", "20,480 bytes") in Chinese.
func figure(s string) string {
	var b strings.Builder
	for i, word := range strings.Fields(s) {
		number := strings.TrimRight(word, "abcdefghijklmnopqrstuvwxyz")
		unit := word[len(number):]
		if to, known := units[unit]; known {
			unit = to
		}
		if i > 0 && number != "" {
			b.WriteByte(' ')
		}
		b.WriteString(number + unit)
	}
	return b.String()
}
