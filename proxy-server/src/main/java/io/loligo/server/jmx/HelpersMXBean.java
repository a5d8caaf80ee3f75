package io.loligo.server.jmx;

import java.util.Map;

/** Helper programs. */
@Description("Helper programs.")
public interface HelpersMXBean {
  @Description(
      "Numbers by program, those of /metrics. A reload that changes the line starts them again."
          + " Times are in nanoseconds.")
  @Units("as the names in Texts say")
  Map<String, Map<String, Long>> getPrograms();

  @Description("The meaning of each number.")
  Map<String, String> getTexts();
}
