package io.loligo.server.jmx;

import java.beans.ConstructorProperties;

/** Connections to one endpoint as JMX shows them. Immutable. */
public final class OriginPool {
  private final String host;
  private final int open;
  private final int idle;
  private final int waiting;

  /** By the names JMX uses. */
  @ConstructorProperties({"host", "open", "idle", "waiting"})
  public OriginPool(String host, int open, int idle, int waiting) {
    this.host = host;
    this.open = open;
    this.idle = idle;
    this.waiting = waiting;
  }

  public String getHost() {
    return host;
  }

  public int getOpen() {
    return open;
  }

  public int getIdle() {
    return idle;
  }

  public int getWaiting() {
    return waiting;
  }
}
