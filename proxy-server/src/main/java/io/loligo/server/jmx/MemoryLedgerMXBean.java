package io.loligo.server.jmx;

import java.util.Map;

/** Who holds memory. */
@Description("Who holds how much memory, and of what allowance.")
public interface MemoryLedgerMXBean {
  @Description("Memory held, by owner.")
  @Units("bytes")
  Map<String, Long> getUsed();

  @Description("Memory an owner may hold; -1: no limit of its own.")
  @Units("bytes")
  Map<String, Long> getLimits();

  @Description("What each owner is.")
  Map<String, String> getOwners();
}
