package io.loligo.server.exchange.settings;

import io.loligo.server.exchange.client.ClientStream;
import org.jspecify.annotations.Nullable;

/**
 * {@code qos_flows}: packets of hits and misses are told apart. Immutable; any thread.
 *
 * @param trafficClasses TOS bytes; null: they stay as they are
 * @param marks marks of netfilter; null: they stay as they are
 */
public record QosFlows(@Nullable Numbers trafficClasses, @Nullable Numbers marks) {
  static final QosFlows NONE = new QosFlows(null, null);

  /**
   * TOS bytes, 0 to 255, or marks of 32 bits.
   *
   * @param hit for responses from the store
   * @param miss for all others
   */
  record Numbers(int hit, int miss) {
    private int of(boolean hits) {
      return hits ? hit : miss;
    }
  }

  /** Sets the numbers of packets to the client of {@code stream}, before its final head. */
  public void apply(ClientStream stream) {
    boolean hit = stream.record().tag.hit();
    if (trafficClasses != null) {
      stream.trafficClass(trafficClasses.of(hit));
    }
    if (marks != null) {
      stream.packetMark(marks.of(hit));
    }
  }
}
