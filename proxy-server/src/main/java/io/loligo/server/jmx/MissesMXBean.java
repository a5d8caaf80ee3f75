package io.loligo.server.jmx;

import java.util.Map;

/** Why requests were no hits. */
@Description("Why requests were no hits, by origin.")
public interface MissesMXBean {
  @Description(
      "Misses since the start by origin and cause, of the origins with the most; the others' are in"
          + " other. Behind 'not stored:' why the answer that was fetched was not stored.")
  Map<String, Map<String, Long>> getOrigins();
}
