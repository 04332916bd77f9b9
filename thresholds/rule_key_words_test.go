package thresholds

func init() {
	const words = `rules: {key-words: {error: [test, old, "/[0-9]{13,19}/"], info: [tmp, user password]}}`
	ruleCases["key-words"] = []ruleCase{
		{key: key("prd:test:1", nil), want: "-----"},
		{key: key("prd:test:1", nil), want: "eeeee", config: words}, {key: key("prd:TestData:1", nil), want: "eeeee", config: words}, {key: key("prd:my_test-2", nil), want: "eeeee", config: words},
		{key: key("prd:holdings:1", nil), want: "-----", config: words}, {key: key("prd:contest:1", nil), want: "-----", config: words}, {key: key("prd:testing:1", nil), want: "-----", config: words},
		{key: key("prd:6222020200112233445", nil), want: "eeeee", config: words}, {key: key("prd:622202020011", nil), want: "-----", config: words},
		{key: key("prd:tmp:1", nil), want: "iiiii", config: words}, {key: key("prd:tmp:test", nil), want: "eeeee", config: words},
		{key: key("prd:user-password", nil), want: "iiiii", config: words}, {key: key("prd:user:password", nil), want: "-----", config: words},
		{key: key("test:1", nil), want: "-----", config: words + "\noverrides: [{key: 'test:*', rules: {key-words: {error: secret}}}]"},
		{key: key("test:secret", nil), want: "wwwww", config: words + "\noverrides: [{key: 'test:*', rules: {key-words: {warning: secret}}}]"},
	}
}
