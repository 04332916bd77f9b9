package thresholds

import "github.com/rdblens/rdblens/thresholds/requirements"

// The documents, for the sources of rules.
const (
	aliyun = requirements.Aliyun
	baidu  = requirements.Baidu
	typed  = requirements.Typed
	upper  = requirements.Upper
)

// Lists of profiles for the sources of rules.
var (
	everyProfile = []string{"default", "aliyun", "baidu", "typed", "upper"}
	onlyAliyun   = []string{"aliyun"}
	onlyBaidu    = []string{"baidu"}
	onlyTyped    = []string{"typed"}
	onlyUpper    = []string{"upper"}
	onlyDefault  = []string{"default"}
)
