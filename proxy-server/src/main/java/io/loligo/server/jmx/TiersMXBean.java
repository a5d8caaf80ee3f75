package io.loligo.server.jmx;

/** Content of the tiers of the store. */
@Description("Content of the tiers of the store.")
public interface TiersMXBean {
  @Description("Stored responses in memory.")
  @Units("responses")
  long getMemoryEntries();

  @Description("Direct memory of stored responses.")
  @Units("bytes")
  long getMemoryUsedBytes();

  @Description("cache_mem.")
  @Units("bytes")
  long getMemoryLimitBytes();

  @Description("Memory of responses dropped from the store that are still being sent.")
  @Units("bytes")
  long getMemoryPinnedBytes();

  @Description("Responses that entered memory.")
  @Units("responses")
  long getInsertions();

  @Description("Responses dropped for space; normal once the memory is full.")
  @Units("responses")
  long getEvictions();

  @Description("Responses not stored, for lack of space or because of their size.")
  @Units("responses")
  long getRejections();

  @Description("Fetches in progress.")
  @Units("fetches")
  long getInFlight();

  @Description("Direct memory used by or reserved for fetches in progress.")
  @Units("bytes")
  long getTransitUsedBytes();

  @Description("loligo_transit_memory.")
  @Units("bytes")
  long getTransitLimitBytes();
}
