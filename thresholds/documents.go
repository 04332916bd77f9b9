package thresholds

// Lists of profiles for the notes of rules.
var (
	everyProfile = []string{"default", "aliyun", "baidu", "typed", "upper"}
	onlyAliyun   = []string{"aliyun"}
	onlyBaidu    = []string{"baidu"}
	onlyTyped    = []string{"typed"}
	onlyUpper    = []string{"upper"}
	onlyDefault  = []string{"default"}
)
