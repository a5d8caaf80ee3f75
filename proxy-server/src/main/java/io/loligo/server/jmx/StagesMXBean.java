package io.loligo.server.jmx;

import java.util.Map;

/** Time that exchanges spend in each stage. */
@Description("Time that exchanges spend in each stage; the error is at most 1/32.")
public interface StagesMXBean {
  @Description("Times by stage and class (STAGE/CLASS) that have occurred, in microseconds.")
  @Units("microseconds")
  Map<String, StageTimes> getTimes();

  @Description("Times of one stage and class, in microseconds; zeros if none has occurred.")
  @Reads
  @Units("microseconds")
  StageTimes times(
      @Description("Such as TOTAL or SERVER_FIRST_BYTE.") String stage,
      @Description("Such as MEMORY_HIT or MISS.") String hitClass);
}
