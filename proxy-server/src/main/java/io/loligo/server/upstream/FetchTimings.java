package io.loligo.server.upstream;

import io.loligo.server.record.HierarchyCode;

/** Where a fetch went and how long its stages took. Confined to the fetch's event loop. */
public final class FetchTimings {
  /** Of the hop that was used last; HIER_NONE before any. */
  public HierarchyCode code = HierarchyCode.HIER_NONE;

  /** Textual address of it, or null. */
  public String address;

  public int port;

  /** Nanoseconds; -1 where the stage was not passed through. */
  public long dnsNanos = -1;

  public long connectNanos = -1;
  public long firstByteNanos = -1;
  public long lastByteNanos = -1;

  /** Octets on the wire, heads included. */
  public long bytesIn;

  public long bytesOut;

  /** Whether a kept connection was used. */
  public boolean reused;

  /** Connections tried. */
  public int attempts;
}
