package io.loligo.server.jmx;

import java.util.Map;

/** One cache_dir: its state and its numbers. */
@Description("One cache_dir: its state and its numbers.")
public interface CacheDirMXBean {
  @Description("The folder as configured.")
  String getPath();

  @Description("File and line of the cache_dir.")
  String getSource();

  @Description("OPENING, READY, READ_ONLY or OFF.")
  String getState();

  @Description("Why it is in this state; empty where there is nothing to say.")
  String getReason();

  @Description("Share of hits that took one read.")
  @Units("ratio")
  double getSingleReadShare();

  @Description("All numbers by name.")
  Map<String, Long> getNumbers();

  @Description("What each number means.")
  Map<String, String> getTexts();
}
