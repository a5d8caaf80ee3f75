package io.loligo.server.jmx;

import java.util.Map;

/** ICAP services. */
@Description("ICAP services.")
public interface IcapMXBean {
  @Description(
      "Numbers by service, those of /metrics. A reload starts them again. Times are in"
          + " nanoseconds.")
  @Units("as the names in Texts say")
  Map<String, Map<String, Long>> getServices();

  @Description("The meaning of each number.")
  Map<String, String> getTexts();
}
