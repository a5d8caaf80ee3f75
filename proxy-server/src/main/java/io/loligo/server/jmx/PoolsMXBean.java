package io.loligo.server.jmx;

import java.util.Map;

/** Pools of bandwidth and rates of requests. */
@Description("Pools of bandwidth and rates of requests.")
public interface PoolsMXBean {
  @Description("Bytes, or requests, that each pool let pass. A reload starts them again.")
  Map<String, Long> getPassed();

  @Description("Times that bytes had to wait for each pool, or requests that it refused.")
  Map<String, Long> getWaits();

  @Description("Streams whose bytes wait for each pool now.")
  Map<String, Long> getWaiting();
}
