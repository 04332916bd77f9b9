package report

import _ "embed"

// Schema is the JSON Schema (draft 2020-12) of the JSON report, schema version
// SchemaVersion. It allows fields that it does not know: later versions of the
// program may add some.
//
//go:generate go test -run TestSchema -update .
//go:embed schema.json
var Schema []byte
