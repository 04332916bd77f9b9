// Package config makes policies: it reads a team's configuration, applies it to one
// of the built-in profiles and adds what the command line says. It also describes
// configurations, as a JSON Schema for editors and as a list of all values with
// their origins.
//
// # Files
//
// A configuration is a YAML file. Every place in it is described once, by a shape
// (shape.go): how its value is read, and the JSON Schema of its valid values. The
// shapes of rules are made from the rules themselves, so a new rule or parameter
// needs nothing here. All problems of a file are reported, up to 20, each with line,
// column, excerpt and, where possible, a hint.
//
// Files are bounded: 256 KB, 64 levels, 10,000 entries of each list, 2,000 names of
// each mapping; aliases are not followed.
//
// # Precedence
//
// Of several values for one setting the last one decides: the profile, then the
// file, then flags; of the overrides that match a key, each after those before it.
// The limits that a place has for a rule replace all that an earlier place has for it:
// {warning: 5 KB} leaves no error limit of the profile. Those under types replace the
// limits for that type alone, those under "under" the lower limits alone. A set of
// characters replaces the other sets of its rule: {allowed: ...} what a profile forbids.
// A severity for a whole rule leaves only the limit that is exceeded first, and limits in
// the same place are set after it. Parameters do not switch a rule on; limits do.
//
// A rule that is switched on without limits takes those of the first profile, in the
// order of Profiles, that has it on.
package config
