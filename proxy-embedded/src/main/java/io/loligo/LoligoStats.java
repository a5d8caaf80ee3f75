package io.loligo;

import io.loligo.server.metrics.ConnectionGauge;
import io.loligo.server.metrics.Counter;
import io.loligo.server.metrics.CounterFamily;
import io.loligo.server.metrics.ProxyMetrics;
import io.loligo.server.record.HitClass;
import io.loligo.server.record.LogTag;
import io.loligo.store.StoreStats;

/** Numbers of a proxy: counts since its start, and amounts at one moment. Immutable. */
public final class LoligoStats {
  private final long exchanges;
  private final long hits;
  private final long misses;
  private final long denials;
  private final long errors;
  private final long bytesToClients;
  private final long bytesFromOrigins;
  private final long storedResponses;
  private final long storedBytes;
  private final long clientConnections;

  LoligoStats(ProxyMetrics metrics, StoreStats store) {
    exchanges = metrics.exchanges();
    hits = metrics.value(Counter.HITS);
    misses = count(metrics, HitClass.MISS) + count(metrics, HitClass.UNCACHEABLE);
    denials = count(metrics, LogTag.TCP_DENIED) + count(metrics, LogTag.TCP_DENIED_REPLY);
    errors = count(metrics, HitClass.ERROR);
    bytesToClients = metrics.value(Counter.CLIENT_BYTES_OUT);
    bytesFromOrigins = metrics.value(Counter.SERVER_BYTES_IN);
    storedResponses = store.entries();
    storedBytes = store.memoryBytes();
    clientConnections = metrics.value(ConnectionGauge.CLIENT_OPEN);
  }

  private static long count(ProxyMetrics metrics, HitClass of) {
    return metrics.value(CounterFamily.CLASS, of.ordinal());
  }

  private static long count(ProxyMetrics metrics, LogTag of) {
    return metrics.value(CounterFamily.RESULT, of.ordinal());
  }

  /** Finished exchanges: a request and its response, or a tunnel. */
  public long exchanges() {
    return exchanges;
  }

  /** Exchanges that a stored response answered, validated ones included. */
  public long hits() {
    return hits;
  }

  /** Exchanges that were fetched, those that may not be stored included. */
  public long misses() {
    return misses;
  }

  /** Exchanges that a rule has denied, requests for a login included. */
  public long denials() {
    return denials;
  }

  /** Exchanges that failed: the proxy itself answered with a status from 500 on. */
  public long errors() {
    return errors;
  }

  /** Bytes written to clients, heads included. */
  public long bytesToClients() {
    return bytesToClients;
  }

  /** Bytes read from origins and parents, heads included. */
  public long bytesFromOrigins() {
    return bytesFromOrigins;
  }

  /** Responses stored in memory now. */
  public long storedResponses() {
    return storedResponses;
  }

  /** Bytes of direct memory that stored responses take now. */
  public long storedBytes() {
    return storedBytes;
  }

  /** Open connections of clients now. */
  public long clientConnections() {
    return clientConnections;
  }
}
