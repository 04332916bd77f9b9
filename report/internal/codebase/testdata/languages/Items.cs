using StackExchange.Redis;
class A {
  const string P = "item:";
  string Key(string id) => $"{P}{id}";
  async Task F(string id) {
    await db.StringSetAsync(Key(id), 1);
    await redis.HashSetAsync(string.Format("h:{0}", id), null);
    db.SortedSetAdd($"z:{id}:{{x}}", 1, 1);
  }
}
