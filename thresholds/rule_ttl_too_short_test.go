package thresholds

func init() {
	const hour = "rules: {ttl-too-short: {error: 1h}}"
	ruleCases["ttl-too-short"] = []ruleCase{
		{key: key("a:b", expires(created*1000+60_000)), want: "-----"},
		{key: key("a:b", expires(created*1000+3_600_000)), want: "-----", config: hour}, {key: key("a:b", expires(created*1000+3_599_999)), want: "eeeee", config: hour},
		{key: key("a:b", expires(created*1000+1000)), want: "eeeee", config: hour}, {key: key("a:b", expires(created*1000-1)), want: "-----", config: hour},
		{key: key("a:b", forever), want: "-----", config: hour}, {key: key("a:b", expires(created*1000+60_000)), want: "-----", config: hour, env: undated},
		{key: key("a:b", expires(created*1000+60_000)), want: "wwwww", config: "overrides: [{key: 'a:*', rules: {ttl-too-short: {warning: 2m}}}]"},
	}
}
