package io.loligo.server.jmx;

import java.util.Map;

/** Causes of misses, by origin. */
@Description("Causes of misses, by origin.")
public interface MissesMXBean {
  @Description(
      "Misses since the start by cause, for the origins with the most misses; all others count as"
          + " other. A cause that begins with 'not stored:' gives the reason why the fetched"
          + " response was not stored.")
  @Units("misses")
  Map<String, Map<String, Long>> getOrigins();
}
