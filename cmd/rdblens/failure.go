package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/rdblens/rdblens/parser"
)

// failures are the inputs of a command that were not read whole.
type failures struct {
	unread      int // nothing of them could be read
	interrupted bool
	complaints  []complaint
}

type complaint struct {
	err  error
	hint string
}

// add notes how the reading of an input ended; err is nil where it was read whole.
func (f *failures) add(name string, keys int64, err error) {
	var damage *parser.DamageError
	var c complaint
	switch {
	case err == nil:
		return
	case isInterrupt(err):
		f.interrupted = true
		c.err = inputError(name, fmt.Sprintf("interrupted after %d keys", keys))
		c.hint = "the result covers what was read until then"
	case errors.As(err, &damage):
		c.err = inputError(name, damage.Error())
		c.hint = fmt.Sprintf("the result covers the %d keys before that", keys)
		if damage.LastKey != nil {
			c.hint += fmt.Sprintf("; the last one is %q", shortened(damage.LastKey))
		}
	default:
		f.unread++
		reason, hint := unread(err)
		c = complaint{inputError(name, reason), hint}
	}
	f.complaints = append(f.complaints, c)
}

// complain says what was wrong with the inputs.
func (f *failures) complain(e *env) {
	for _, c := range f.complaints {
		e.complain(c.err, c.hint)
	}
}

// end complains about the failures and gives the command's error: nil where
// all of the inputs, so many, were read whole.
func (f *failures) end(e *env, inputs int) error {
	f.complain(e)
	switch {
	case len(f.complaints) == 0:
		return nil
	case f.unread == inputs:
		return &exitError{code: exitUsage}
	}
	return &exitError{code: exitPartial}
}

// isInterrupt reports whether a signal ended the reading.
func isInterrupt(err error) bool { return errors.Is(err, context.Canceled) }

// shortened cuts a name for a message.
func shortened(name []byte) []byte {
	const most = 200
	return name[:min(len(name), most)]
}
