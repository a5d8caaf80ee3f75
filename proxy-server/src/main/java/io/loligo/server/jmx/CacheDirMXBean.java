package io.loligo.server.jmx;

import java.util.Map;

/** State and numbers of one cache_dir. */
@Description("State and numbers of one cache_dir.")
public interface CacheDirMXBean {
  @Description("The folder as configured.")
  String getPath();

  @Description("File and line of the cache_dir.")
  String getSource();

  @Description("OPENING, READY, READ_ONLY or OFF.")
  String getState();

  @Description("Reason for the state; may be empty.")
  String getReason();

  @Description("Share of hits with a single read.")
  @Units("ratio")
  double getSingleReadShare();

  @Description("All numbers by name.")
  @Units("bytes, responses or operations: see Texts")
  Map<String, Long> getNumbers();

  @Description("Meaning of each number.")
  Map<String, String> getTexts();
}
