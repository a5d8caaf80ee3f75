package io.loligo.server.jmx;

import java.util.Map;

/** Logins of users. */
@Description("Logins of users, by a program or inside the proxy.")
public interface LoginsMXBean {
  @Description("Numbers by scheme, those of /metrics. Times are in nanoseconds.")
  @Units("as the names in Texts say")
  Map<String, Map<String, Long>> getSchemes();

  @Description("The meaning of each number.")
  Map<String, String> getTexts();
}
