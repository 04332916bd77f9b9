package rdb

// Opcodes of a module's own serialization.
const (
	ModuleEOF = iota
	ModuleSInt
	ModuleUInt
	ModuleFloat
	ModuleDouble
	ModuleString
)

const moduleAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// ModuleName returns the type name in a module's ID: nine characters of six
// bits above ten bits of version (module.c, moduleTypeNameByID).
func ModuleName(id uint64) (name [9]byte) {
	id >>= 10
	for i := 8; i >= 0; i-- {
		name[i] = moduleAlphabet[id&63]
		id >>= 6
	}
	return name
}
