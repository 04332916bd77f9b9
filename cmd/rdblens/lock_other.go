//go:build !unix

package main

// lockDir does nothing: this system has no lock that ends with its process.
func lockDir(string) (unlock func(), err error) { return func() {}, nil }
