package a

const prefix = "task:"

func TaskKey(id string) string { return prefix + id }

func (s *Store) save(ctx context.Context, id string) {
	s.rdb.HSet(ctx, TaskKey(id), "f", 1)
	s.rdb.Set(ctx, fmt.Sprintf("lock:%s:%d", id, 2), 1, 0)
	conn.Do("LPUSH", prefix+"list", 1)
	keys := []string{TaskKey(id), "queues"}
	script.Run(ctx, s.rdb, keys, 1)
	strings.Join([]string{"no", id}, ":")
}
