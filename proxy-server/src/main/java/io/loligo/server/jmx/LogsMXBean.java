package io.loligo.server.jmx;

import java.util.Map;

/** Levels of the application log. */
@Description("Levels of the application log (cache_log).")
public interface LogsMXBean {
  @Description(
      "Loggers that have a level of their own, with it; all others have that of the logger whose"
          + " name is the beginning of theirs, and at last that of ROOT.")
  Map<String, String> getLevels();

  @Description("The level of a logger.")
  @Reads
  String level(@Description("Name of the logger; ROOT or ALL: of all.") String logger);

  @Description(
      "Sets the level of a logger, until the next start; that of ROOT until a reload changes"
          + " debug_options. Returns the level of the logger.")
  String setLevel(
      @Description("Name of the logger, as io.loligo.server.upstream; ROOT or ALL: of all.")
          String logger,
      @Description(
              "ERROR, WARN, INFO, DEBUG or TRACE, or a level of debug_options: 0 is WARN, 1 is"
                  + " INFO, 2 to 9 are DEBUG. Empty: that of the logger whose name is the beginning"
                  + " of this one.")
          String level);
}
