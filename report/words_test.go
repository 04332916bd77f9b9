package report

import (
	"github.com/rdblens/rdblens/parser/message"
)

// english returns a message as a terminal shows it.
func english(m message.Message) string { return textStyle(nil).line(m) }

// englishLines is english for several messages.
func englishLines(list []message.Message) (lines []string) {
	for _, m := range list {
		lines = append(lines, english(m))
	}
	return lines
}
