class Queue
  KEY = 'queue'.freeze

  def key_for(name)
    "#{KEY}:#{name}"
  end

  def push(name)
    redis.rpush key_for(name), 1
    Redis.current.sadd(:queues, name)
  end
end
