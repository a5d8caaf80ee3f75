package io.loligo.server.jmx;

import java.util.Map;

/** Time that exchanges spend in each stage. */
@Description("Time that exchanges spend in each stage; the error is at most 1/32.")
public interface StagesMXBean {
  @Description("Times by stage and class that have occurred, such as total/miss.")
  @Units("microseconds")
  Map<String, StageTimes> getTimes();

  @Description("Whole times by protocol that have occurred: 1.0, 1.1, 2, tunnel, bumped.")
  @Units("microseconds")
  Map<String, StageTimes> getProtocolTimes();

  @Description("Times of one stage and class; zeros if none has occurred.")
  @Reads
  @Units("microseconds")
  StageTimes times(
      @Description("Such as total or serverFirstByte.") String stage,
      @Description("Such as memory_hit or miss.") String hitClass);
}
