package thresholds

func init() {
	const one, two = `rules: {key-pattern: {error: "^(prd|uat):[a-z]+:.+$"}}`, `rules: {key-pattern: {warning: ["^prd:", "^uat:"]}}`
	const override = one + "\noverrides: [{key: 'legacy:*', rules: {key-pattern: {info: '^legacy:[0-9]+$'}}}, {key: 'free:*', rules: {key-pattern: off}}]"
	ruleCases["key-pattern"] = []ruleCase{
		{key: key("dev:user:1", nil), want: "-----"},
		{key: key("prd:user:1", nil), want: "-----", config: one}, {key: key("uat:order:a-b", nil), want: "-----", config: one},
		{key: key("dev:user:1", nil), want: "eeeee", config: one}, {key: key("prd:user", nil), want: "eeeee", config: one}, {key: key("prd:User:1", nil), want: "eeeee", config: one},
		{key: key("xprd:user:1", nil), want: "eeeee", config: one}, {key: key("", nil), want: "eeeee", config: one},
		{key: key("prd:1", nil), want: "-----", config: two}, {key: key("dev:1", nil), want: "wwwww", config: two},
		{key: key("legacy:17", nil), want: "-----", config: override}, {key: key("legacy:x", nil), want: "iiiii", config: override}, {key: key("free:x", nil), want: "-----", config: override},
		{key: key("dev:user:1", nil), want: "iiiii", config: `rules: {key-pattern: {error: '^prd:', info: '^uat:|^prd:'}}` + "\noverrides: [{key: '*', rules: {key-pattern: info}}]"},
		{key: key("uat:user:1", nil), want: "eeeee", config: `rules: {key-pattern: {error: '^prd:', info: '^uat:|^prd:'}}`},
	}
}
