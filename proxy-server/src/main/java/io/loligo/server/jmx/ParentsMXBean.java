package io.loligo.server.jmx;

import java.util.Map;

/** The parents ({@code cache_peer}), by name. */
@Description("Parents (cache_peer), by name.")
public interface ParentsMXBean {
  @Description("Whether requests are sent to each parent.")
  Map<String, Boolean> getUp();

  @Description("Open connections to each parent.")
  @Units("connections")
  Map<String, Integer> getConnections();

  @Description("Failures in a row to connect to each parent.")
  @Units("failures")
  Map<String, Integer> getFailures();

  @Description("Good responses to checks of each parent (monitorurl=) so far.")
  @Units("checks")
  Map<String, Long> getGoodChecks();

  @Description("Failed checks of each parent so far.")
  @Units("checks")
  Map<String, Long> getBadChecks();

  @Description("The result of the last check: good, or its fault. Empty: there was none.")
  Map<String, String> getLastCheck();

  @Description("Percent of its turns that each parent takes: less than 100 in a slow start.")
  @Units("percent")
  Map<String, Integer> getTurnPercent();

  @Description("Average time of each peer's replies to queries by ICP or HTCP; 0: none yet.")
  @Units("milliseconds")
  Map<String, Integer> getRoundTripMillis();

  @Description("Requests to each parent and their bytes, by the names in Texts.")
  @Units("as the names in Texts say")
  Map<String, Map<String, Long>> getTraffic();

  @Description("The meaning of each number in Traffic.")
  Map<String, String> getTexts();
}
