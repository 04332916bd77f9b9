package thresholds_test

import (
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/config"
)

func init() {
	thresholds.SetLoad(func(opt thresholds.LoadOptions) (*thresholds.Policy, error) { return config.Load(config.Options(opt)) })
}
