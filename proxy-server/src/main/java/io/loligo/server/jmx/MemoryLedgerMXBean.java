package io.loligo.server.jmx;

import java.util.Map;

/** Memory by owner, with its limit. */
@Description("Memory by owner, with its limit.")
public interface MemoryLedgerMXBean {
  @Description("Memory in use, by owner.")
  @Units("bytes")
  Map<String, Long> getUsedBytes();

  @Description("Memory limit of an owner; -1: no limit of its own.")
  @Units("bytes")
  Map<String, Long> getLimitBytes();

  @Description("Description of each owner.")
  Map<String, String> getOwners();
}
