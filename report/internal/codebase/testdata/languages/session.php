<html>it's $redis->set('no:php')</html>
<?php
class A {
  const P = 'sess:';
  function f($id) {
    Redis::set(self::P . $id, 1);
    $this->redis->hGet("user:{$id}:x", 'f');
    $redis->lPush(sprintf('list:%s', $id), 1);
    Cache::remember("count:$id", 60, fn() => 1);
  }
}
