package io.loligo.server.traffic;

import io.loligo.core.caching.CacheReason;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.HitClass;
import io.loligo.server.record.Stage;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The sums of one event loop for one generation. Not thread-safe. An exchange with known keys
 * allocates nothing, unless it is among the slowest.
 *
 * <p><b>Cost.</b> An exchange weighs 1, and 1 more for each {@value #BYTES_IN_WEIGHT} bytes sent
 * and for each {@value #NANOS_IN_WEIGHT} nanoseconds. So an origin has a row because of its
 * requests, its bytes or its time.
 */
final class TrafficSums {
  static final int REQUESTS = 0;
  static final int HITS = 1;
  static final int MISSES = 2;
  static final int ERRORS = 3;
  static final int BYTES = 4;
  static final int NANOS = 5;
  static final int COLUMNS = 6;

  /** Rows of each table. */
  static final int ROWS = 128;

  /** Versions of TLS; the last one stands for all others. */
  static final List<String> TLS = List.of("TLSv1.3", "TLSv1.2", "TLSv1.1", "TLSv1", "other");

  private static final int BYTES_IN_WEIGHT = 16_384;
  private static final int NANOS_IN_WEIGHT = 16_000_000;
  private static final int HOST_BYTES = 255;
  private static final int ADDRESS_BYTES = 48;
  private static final int FIRST_ERROR_STATUS = 500;
  private static final int UNAUTHORIZED = 401;
  private static final int PROXY_AUTHENTICATION_REQUIRED = 407;

  final HeavyKeys origins;
  final HeavyKeys clients;
  final HeavyKeys users;
  final SlowestRequests slowest = new SlowestRequests();
  final long[] misses = new long[CacheReason.values().length];
  final long[] missBytes = new long[CacheReason.values().length];
  final long[] clientTls = new long[TLS.size()];
  final long[] serverTls = new long[TLS.size()];

  TrafficSums(long secret) {
    origins = new HeavyKeys(secret, ROWS, HOST_BYTES, COLUMNS);
    clients = new HeavyKeys(secret, ROWS, ADDRESS_BYTES, COLUMNS);
    users = new HeavyKeys(secret, ROWS, SlowRequest.MAX_WORD, COLUMNS);
  }

  void clear() {
    origins.clear();
    clients.clear();
    users.clear();
    slowest.clear();
    for (long[] sums : List.of(misses, missBytes, clientTls, serverTls)) {
      Arrays.fill(sums, 0);
    }
  }

  /** Takes a finished exchange, borrowed. */
  void add(ExchangeRecord record) {
    long nanos = Math.max(0, record.stage(Stage.TOTAL));
    long weight = weight(1, record.clientBytesOut, nanos);
    // a denied request chooses its host freely
    if (record.target != null && record.hitClass != HitClass.OWN_ANSWER) {
      int origin = origins.row(record.target.host(), record.target.port(), weight);
      count(origins, origin, record, nanos);
    }
    count(clients, clients.row(record.clientText, 0, weight), record, nanos);
    String user = user(record);
    if (user != null) {
      count(users, users.row(user, 0, weight), record, nanos);
    }
    if (isMiss(record)) {
      assert record.decision != null : "it was looked up";
      int cause = record.decision.reason().ordinal();
      misses[cause]++;
      missBytes[cause] += record.clientBytesOut;
    }
    if (record.session != null) {
      clientTls[version(record.session.version())]++;
    }
    if (record.serverTls != null) {
      serverTls[version(record.serverTls.version())]++;
    }
    if (record.request != null && record.hitClass != HitClass.TUNNEL) {
      slowest.offer(record, user, nanos);
    }
  }

  /** The cost of requests that sent so many bytes and took so long. */
  static long weight(long requests, long bytes, long nanos) {
    return requests + bytes / BYTES_IN_WEIGHT + nanos / NANOS_IN_WEIGHT;
  }

  private static void count(HeavyKeys keys, int row, ExchangeRecord record, long nanos) {
    keys.add(row, REQUESTS, 1);
    if (record.tag.hit()) {
      keys.add(row, HITS, 1);
    } else if (isMiss(record)) {
      keys.add(row, MISSES, 1);
    }
    if (record.status >= FIRST_ERROR_STATUS) {
      keys.add(row, ERRORS, 1);
    }
    keys.add(row, BYTES, record.clientBytesOut);
    keys.add(row, NANOS, nanos);
  }

  private static boolean isMiss(ExchangeRecord record) {
    return !record.tag.hit() && record.decision != null && record.target != null;
  }

  /** The name of the login, else that of a helper; null: none, or its password was wrong. */
  private static @Nullable String user(ExchangeRecord record) {
    if (record.status == UNAUTHORIZED || record.status == PROXY_AUTHENTICATION_REQUIRED) {
      return null;
    }
    if (record.user != null) {
      return record.user;
    }
    return record.helpers == null ? null : record.helpers.user();
  }

  private static int version(String version) {
    int known = TLS.indexOf(version);
    return known < 0 ? TLS.size() - 1 : known;
  }
}
