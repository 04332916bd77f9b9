package identity

import "testing"

func TestFiles(t *testing.T) {
	list, err := load(files)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(len(list))
}
