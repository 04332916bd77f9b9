package identity

var productsRecognisers = []*Recogniser{
	{
		Library: "Rspamd", Language: "C", About: "spam filter",
		Source: "rspamd/rspamd src/libstat/backends/redis_backend.cxx, lualib, src/plugins/lua",
		Note:   "Bayes tokens are what the filter learned. They have no TTL until bayes_expiry runs.",
		Shapes: []*Shape{
			{Name: "{P}{=BAYES_SPAM_keys|BAYES_HAM_keys}", Type: set, Role: Data, Sign: 2, ByDesign: true,
				Setting: "expire of the classifier", Delete: "no"},
			{Name: "{P}{UPPER}_{n}", Type: hash, Role: Data, Sign: 2, AnyField: "H S", OnlyFields: "H S tokens",
				ByDesign: true, Setting: "expire of the classifier", Delete: "no"},
			{Name: "{P}RS{any}_{n}", Type: hash, Role: Data, Sign: 2, AnyField: "H S", OnlyFields: "H S tokens",
				ByDesign: true, Setting: "expire of the classifier", Delete: "no"},
			{Name: "{P}RS{=|_z}", Type: hash, Role: Data, Sign: 2, AnyField: "learns_ham learns_spam", ByDesign: true,
				Delete: "no"},
			{Name: "{P}rs_history{any}", Type: list, Role: Metrics, Sign: 2, ByDesign: true, Setting: "nrows",
				Delete: "yes"},
			{Name: "{P}fuzzy_count", Type: str, Role: Metadata, Sign: 1, Kind: "integer", ByDesign: true,
				Delete: "no"},
			{Name: "{P}fuzzy_{n}_{n}", Type: str, Role: Data, Sign: 1, Setting: "expire", Delete: "no"},
			{Name: "{P}RL{any}", Type: hash, Role: RateLimit, Sign: 2, Fields: "l b", OnlyFields: "l b p dr db",
				Delete: "yes"},
			{Name: "{P}{=dkim_keys|arc_keys}", Type: hash, Role: Setting, Sign: 1, ByDesign: true, Delete: "no"},
			{Name: "{P}rn_{any}", Type: hash, Role: Data, Sign: 1, AnyField: "ann lock", Delete: "no"},
			{Name: "{P}learned_ids", Type: hash, Role: Data, Sign: 1, ByDesign: true, Delete: "no"},
		},
	},
	{
		Library: "ntopng", Language: "C++", About: "network monitor", Prefix: "ntopng.",
		Source: "ntop/ntopng include/ntop_defines.h",
		Note:   "ntopng.prefs and ntopng.user are configuration and accounts. Stop ntopng before deleting caches.",
		Shapes: []*Shape{
			{Name: "ntopng.prefs.{any}", Type: str, Role: Setting, Sign: 2, ByDesign: true, Delete: "no"},
			{Name: "ntopng.prefs.{any}", Type: hash, Role: Setting, Sign: 2, ByDesign: true, Delete: "no"},
			{Name: "ntopng.user.{any}", Type: str, Role: Setting, Sign: 2, ByDesign: true, Delete: "no"},
			{Name: "ntopng.{=cache|dns|dhcp|serialized_hosts|serialized_macs}.{any}", Type: str, Role: Cache, Sign: 2,
				Delete: "yes"},
			{Name: "ntopng.{=cache|dns|dhcp}.{any}", Type: hash, Role: Cache, Sign: 2, Delete: "yes"},
			{Name: "ntopng.{any}", Type: list, Role: Waiting, Sign: 1, ByDesign: true, Delete: "no"},
			{Name: "ntopng.{any}", Type: hash, Role: Data, Sign: 1, ByDesign: true, Delete: "no"},
			{Name: "ntopng.{any}", Type: str, Role: Data, Sign: 1, ByDesign: true, Delete: "no"},
		},
	},
	{
		Library: "Logstash", Aliases: []string{"Beats", "Fluentd"}, Language: "Ruby", About: "log shipper",
		Source: "logstash-plugins/logstash-input-redis",
		Note:   "A list that grows means that its consumer is down.",
		Shapes: []*Shape{
			{Name: "{any}", Type: list, Role: Waiting, Sign: 2, JSON: "@timestamp @version", ByDesign: true,
				Delete: "no"},
			{Name: "{any}", Type: list, Role: Waiting, Sign: 2, JSON: "@timestamp @metadata", ByDesign: true,
				Delete: "no"},
		},
	},
	{
		Library: "Kong", Language: "Lua", About: "API gateway", Prefix: "ratelimit",
		Source: "Kong/kong kong/plugins/{rate-limiting,response-ratelimiting}/policies",
		Shapes: []*Shape{
			{Name: "{P}{=ratelimit|response-ratelimit}:{uuid}:{uuid}:{any}:{=second|minute|hour|day|month|year}",
				Type: str, Role: RateLimit, Sign: 2, Kind: "integer", Delete: "yes"},
		},
	},
	{
		Library: "Apache APISIX", Language: "Lua", About: "API gateway",
		Source: "apache/apisix apisix/plugins/limit-*",
		Shapes: []*Shape{
			{Name: "{P}plugin-limit-count{any}", Type: str, Role: RateLimit, Sign: 2, Kind: "integer",
				Setting: "time_window", Delete: "yes"},
			{Name: "{P}limit_conn:{any}", Type: zset, Role: RateLimit, Sign: 1, Delete: "yes"},
			{Name: "{P}limit_req:{any}", Type: hash, Role: RateLimit, Sign: 2, Fields: "excess last", Delete: "yes"},
		},
	},
	{
		Library: "Traefik", Language: "Go", About: "reverse proxy", Prefix: "traefik",
		Source: "Traefik documentation of the KV provider",
		Note:   "Routing configuration.",
		Shapes: []*Shape{
			{Name: "traefik/{=http|tcp|udp|tls}/{any}", Type: str, Role: Setting, Sign: 2, TTL: "no", ByDesign: true,
				Delete: "no"},
		},
	},
	{
		Library: "Authelia", Language: "Go", About: "logins", Prefix: "authelia-session",
		Source: "authelia/authelia internal/session/provider_config.go",
		Shapes: []*Shape{
			{Name: "{P}authelia-session:{any}", Type: str, Role: Session, Sign: 2, Setting: "session expiration",
				Delete: "yes"},
		},
	},
	{
		Library: "CHI", Language: "Perl", About: "cache",
		Source: "metacpan CHI::Driver::Redis",
		Note:   "The sets of keys are never shortened.",
		Shapes: []*Shape{
			{Name: "{P}chinamespaces", Type: set, Role: Index, Sign: 2, ByDesign: true, Delete: "no"},
			{Name: "{P}{q}||{any}", Type: str, Role: Cache, Sign: 1, Setting: "expires_in", Delete: "yes"},
			{Name: "{P}{q}", Type: set, Role: Index, ByDesign: true, Delete: "yes"},
		},
	},
}
