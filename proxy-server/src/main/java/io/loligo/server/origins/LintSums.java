package io.loligo.server.origins;

import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.traffic.HeavyKeys;

/** The findings of one event loop for one generation. Not thread-safe. */
final class LintSums {
  static final int ROWS = 128;

  private static final OriginFault[] FINDINGS = OriginFault.values();
  private static final int HOST_BYTES = 255;
  private static final int BYTES_IN_WEIGHT = 16_384;

  /** For each finding the requests, then the bytes. */
  final HeavyKeys origins;

  private final QueryOrders orders;

  /**
   * @param orders of all event loops
   */
  LintSums(long secret, QueryOrders orders) {
    origins = new HeavyKeys(secret, ROWS, HOST_BYTES, 2 * FINDINGS.length);
    this.orders = orders;
  }

  void clear() {
    origins.clear();
  }

  /** Takes a finished exchange, borrowed. */
  void add(ExchangeRecord record) {
    if (record.target == null || (record.tag.hit() && !record.waitedForValidation)) {
      return;
    }
    int found = ResponseFindings.of(record);
    if (ResponseFindings.isStoredWhole(record) && orders.isAnother(record.target)) {
      found |= OriginFault.QUERY_ORDER.bit();
    }
    if (found == 0) {
      return;
    }
    long bytes = record.tag.hit() ? record.clientBytesOut : record.serverContentBytesIn;
    int row = origins.row(record.target.host(), record.target.port(), weight(1, bytes));
    for (OriginFault finding : FINDINGS) {
      if ((found & finding.bit()) != 0) {
        origins.add(row, requests(finding), 1);
        origins.add(row, bytes(finding), bytes);
      }
    }
  }

  static long weight(long requests, long bytes) {
    return requests + bytes / BYTES_IN_WEIGHT;
  }

  static int requests(OriginFault finding) {
    return 2 * finding.ordinal();
  }

  static int bytes(OriginFault finding) {
    return requests(finding) + 1;
  }
}
