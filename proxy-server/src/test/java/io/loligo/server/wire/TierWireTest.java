package io.loligo.server.wire;

import java.util.ArrayList;
import java.util.List;

/** Wire tests whose stored responses are found again in one of two tiers. */
abstract class TierWireTest extends WireTest {
  /** The tier in which a stored response is found again. */
  enum Tier {
    MEMORY,
    /** No memory, and a restart before each look. */
    DISK
  }

  private String[] lines;
  private Tier tier = Tier.MEMORY;

  /** Starts the proxy with these lines and those of the tier. */
  final void startIn(Tier where, List<String> further) throws Exception {
    List<String> all = new ArrayList<>(further);
    if (where == Tier.DISK) {
      all.add("cache_mem 0 MB");
      all.add("cache_dir rock " + dir.resolve("cache") + " 64");
    }
    startAs(where, all.toArray(String[]::new));
  }

  /** Starts the proxy with these lines only, which make {@code where} the tier. */
  final void startAs(Tier where, String... all) throws Exception {
    tier = where;
    lines = all;
    startOpened();
  }

  final Tier tier() {
    return tier;
  }

  /** From here on responses come from the tier that is tested. */
  final void settle() throws Exception {
    if (tier == Tier.DISK) {
      proxy.close();
      startOpened();
    }
  }

  private void startOpened() throws Exception {
    startProxy(lines);
    proxy.diskOpened().join();
  }
}
