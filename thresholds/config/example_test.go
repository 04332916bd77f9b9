package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rdblens/rdblens/thresholds/config"
)

func ExampleLoad() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "rdblens.yaml")
	os.WriteFile(path, []byte("extends: aliyun\nrules:\n  big-string: {warning: 5 KB}\n"), 0o600)

	policy, err := config.Load(config.Options{Config: path})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, entry := range config.Entries(policy) {
		if strings.HasPrefix(entry.Path, "rules.big-string") {
			fmt.Println(entry.Path, entry.Value, "# "+filepath.Base(entry.Origin.String()))
		}
	}

	os.WriteFile(path, []byte("rules: {big-strnig: off}"), 0o600)
	_, err = config.Load(config.Options{Config: path})
	fmt.Println(filepath.Base(err.Error()))
	// Output:
	// rules.big-string.warning 5 KB # rdblens.yaml:3
	// rdblens.yaml:1:9: unknown rule big-strnig
}
