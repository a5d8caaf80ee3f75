package io.loligo.server.jmx;

import java.util.Map;

/** How long exchanges spend in each stage. */
@Description("How long exchanges spend in each stage; values are at most 1/32 off.")
public interface StagesMXBean {
  @Description("By stage and class (STAGE/CLASS), those that occurred; times in microseconds.")
  @Units("microseconds")
  Map<String, StageTimes> getTimes();

  @Description("Times of one stage and class, in microseconds; zeros where none occurred.")
  StageTimes times(
      @Description("Such as TOTAL or SERVER_FIRST_BYTE.") String stage,
      @Description("Such as MEMORY_HIT or MISS.") String hitClass);
}
