//go:build !amd64 || purego

package crc64

func update(crc uint64, p []byte) uint64 { return updateGeneric(crc, p) }
