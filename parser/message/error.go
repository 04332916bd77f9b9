package message

import (
	"errors"
	"io/fs"
	"syscall"
)

// Error is an error whose text is a message. Err is what caused it, nil if nothing did;
// the message says what of it people need.
type Error struct {
	Message Message
	Hint    Message // what to do about it; zero if nothing is known
	Err     error
}

// Errorf returns an error with a message.
func Errorf(id string, args ...Arg) *Error { return &Error{Message: New(id, args...)} }

// WithHint returns the error with what to do about it.
func (e *Error) WithHint(id string, args ...Arg) *Error {
	return &Error{Message: e.Message, Hint: New(id, args...), Err: e.Err}
}

// Error returns the message in English.
func (e *Error) Error() string { return e.Message.Quoted() }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Messager is an error that has a message.
type Messager interface{ AsMessage() Message }

// AsMessage returns the message.
func (e *Error) AsMessage() Message { return e.Message }

// Of returns the message of an error: its own if it is a Messager, else that of the
// first Messager that it wraps, without what was added to it, or the sentence of the operating
// system for an error number, with the path of what was opened; else its text as somebody else's,
// which redaction replaces. Of(nil) is zero.
func Of(err error) Message {
	if err == nil {
		return Message{}
	}
	var m Messager
	if errors.As(err, &m) {
		return m.AsMessage()
	}
	switch err := err.(type) {
	case syscall.Errno:
		return New(err.Error())
	case *fs.PathError:
		return New("{file}: {reason}", Path("file", err.Path), Reason("reason", err.Err))
	}
	return New("{error}", Foreign("error", err.Error()))
}

// Reason is the argument for why something failed.
func Reason(name string, err error) Arg { return Phrase(name, Of(err)) }
