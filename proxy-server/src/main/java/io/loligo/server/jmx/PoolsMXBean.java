package io.loligo.server.jmx;

import java.util.Map;

/** Pools of bandwidth and rates of requests. */
@Description("Pools of bandwidth and rates of requests.")
public interface PoolsMXBean {
  @Description("Bytes, or requests, that each pool let pass. A reload starts them again.")
  @Units("bytes or requests")
  Map<String, Long> getPassed();

  @Description("Times that bytes had to wait for each pool, or requests that it refused.")
  @Units("waits")
  Map<String, Long> getWaits();

  @Description("Streams whose bytes wait for each pool now.")
  @Units("streams")
  Map<String, Long> getWaiting();

  @Description(
      "Bytes in the bucket for all of each pool that has one. Below 0: bytes that passed before"
          + " their time.")
  @Units("bytes or requests")
  Map<String, Long> getLevel();

  @Description("The most bytes that the bucket for all of each pool holds.")
  @Units("bytes or requests")
  Map<String, Long> getMaximum();

  @Description(
      "Buckets of addresses, networks, users, tags or fields of each pool in use: not full.")
  @Units("buckets")
  Map<String, Long> getBuckets();

  @Description("Bytes, or requests, in the emptiest of the buckets in use of each pool.")
  @Units("bytes or requests")
  Map<String, Long> getLowestLevel();
}
