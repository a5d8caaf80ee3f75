package io.loligo.server.exchange.settings;

import io.loligo.server.exchange.client.ClientStream;
import io.loligo.server.record.ExchangeRecord;
import org.jspecify.annotations.Nullable;

/**
 * {@code qos_flows}: packets of hits, of hits of peers and of misses are told apart. Immutable; any
 * thread.
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
   * @param siblingHit for those of a sibling that has said to have it; 0: a miss, as in Squid
   * @param parentHit for those of such a parent; 0: a miss
   * @param miss for all others
   */
  record Numbers(int hit, int siblingHit, int parentHit, int miss) {
    private int of(ExchangeRecord record) {
      if (record.tag.hit()) {
        return hit;
      }
      int peer =
          switch (record.hierarchy) {
            case SIBLING_HIT -> siblingHit;
            case PARENT_HIT -> parentHit;
            default -> 0;
          };
      return peer == 0 ? miss : peer;
    }
  }

  /** Whether all packets stay as they are. */
  boolean isNone() {
    return trafficClasses == null && marks == null;
  }

  /** Sets the numbers of packets to the client of {@code stream}, before its final head. */
  public void apply(ClientStream stream) {
    ExchangeRecord record = stream.record();
    if (trafficClasses != null) {
      stream.trafficClass(trafficClasses.of(record));
    }
    if (marks != null) {
      stream.packetMark(marks.of(record));
    }
  }
}
