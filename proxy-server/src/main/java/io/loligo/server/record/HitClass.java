package io.loligo.server.record;

/** Class of an exchange, for counters and histograms. */
public enum HitClass {
  MEMORY_HIT,
  DISK_HIT,
  /** A client conditional answered from a fresh stored response with the whole content. */
  IMS_HIT,
  /** A client conditional answered 304 from the store. */
  NOT_MODIFIED_HIT,
  REVALIDATED,
  NEGATIVE_HIT,
  MISS,
  TUNNEL,
  /** Denied, refused, or answered by the proxy itself. */
  OWN_ANSWER
}
