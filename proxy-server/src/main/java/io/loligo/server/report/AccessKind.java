package io.loligo.server.report;

/** What a result code says about an access. */
enum AccessKind {
  /** Answered from memory. */
  MEMORY_HIT,
  /** Answered from disk. */
  DISK_HIT,
  /** Answered from the cache; the code does not say from where. */
  OTHER_HIT,
  /** A conditional of the client, cached and fresh. */
  IMS_HIT,
  MISS,
  /** Neither: tunnels, denials, redirects, queries of neighbours. */
  OTHER;

  boolean hit() {
    return ordinal() < MISS.ordinal();
  }

  /** The kind of Squid's result code {@code tag}. */
  static AccessKind of(String tag) {
    if (!tag.startsWith("TCP_")
        || tag.contains("DENIED")
        || tag.contains("TUNNEL")
        || tag.contains("REDIRECT")) {
      return OTHER;
    }
    if (tag.contains("MEM_HIT")) {
      return MEMORY_HIT;
    }
    if (tag.contains("IMS_HIT") || tag.contains("INM_HIT")) {
      return IMS_HIT;
    }
    if (tag.startsWith("TCP_HIT")) {
      return DISK_HIT;
    }
    if (tag.contains("HIT")
        || tag.contains("REFRESH_UNMODIFIED")
        || tag.contains("REFRESH_FAIL_OLD")) {
      return OTHER_HIT;
    }
    return tag.contains("MISS") || tag.contains("REFRESH") ? MISS : OTHER;
  }
}
