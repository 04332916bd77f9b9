package thresholds

import (
	"strings"

	"github.com/rdblens/rdblens/parser/message"
)

// Suggest returns a hint for a misspelled word: the most similar known word, or,
// if none is similar, all of them when they are few; else no message.
func Suggest(word string, known []string) message.Message {
	nearest, least := "", len(word)/3+2
	for _, k := range known {
		if d := editDistance(strings.ToLower(word), k); d < least {
			nearest, least = k, d
		}
	}
	switch {
	case nearest != "":
		return message.New("did you mean {word}?", message.Code("word", nearest))
	case len(known) <= 12:
		list := make([]message.Message, len(known))
		for i, k := range known {
			list[i] = message.New("{word}", message.Code("word", k))
		}
		return message.New("known: {words}", message.List("words", ", ", list))
	}
	return message.Message{}
}

// editDistance returns the Levenshtein distance of two words in bytes, 64 if one
// is longer than 64 bytes.
func editDistance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 64
	}
	var row [65]int
	for j := range len(b) + 1 {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := diagonal
			if a[i-1] != b[j-1] {
				change++
			}
			diagonal = row[j]
			row[j] = min(row[j]+1, row[j-1]+1, change)
		}
	}
	return row[len(b)]
}
