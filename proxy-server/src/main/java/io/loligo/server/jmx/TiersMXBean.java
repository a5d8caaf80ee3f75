package io.loligo.server.jmx;

/** What the tiers of the store hold. */
@Description("What the tiers of the store hold.")
public interface TiersMXBean {
  @Description("Stored responses in memory.")
  @Units("responses")
  long getMemoryEntries();

  @Description("Direct memory they occupy.")
  @Units("bytes")
  long getMemoryUsed();

  @Description("cache_mem.")
  @Units("bytes")
  long getMemoryLimit();

  @Description("Memory of responses dropped from the store that are still being sent.")
  @Units("bytes")
  long getMemoryPinned();

  @Description("Responses that entered memory.")
  @Units("responses")
  long getInsertions();

  @Description("Responses dropped for space; normal once the memory is full.")
  @Units("responses")
  long getEvictions();

  @Description("Responses not stored for lack of room or for their size.")
  @Units("responses")
  long getRejections();

  @Description("Fetches under way.")
  @Units("fetches")
  long getInFlight();

  @Description("Direct memory held by or set aside for fetches under way.")
  @Units("bytes")
  long getTransitUsed();

  @Description("loligo_transit_memory.")
  @Units("bytes")
  long getTransitLimit();
}
