package io.loligo;

import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.LogTag;
import io.loligo.server.record.Stage;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A finished exchange: a request and its response, or a tunnel. Immutable. */
public final class Exchange {
  private final String method;
  private final String url;
  private final int status;
  private final Outcome outcome;
  private final Instant start;
  private final Duration duration;
  private final long bytesFromClient;
  private final long bytesToClient;
  private final long bytesFromOrigin;
  private final boolean cut;
  private final @Nullable InetSocketAddress client;

  Exchange(ExchangeRecord record) {
    method = record.method;
    url = url(record);
    status = record.status;
    outcome = outcome(record);
    start = Instant.ofEpochMilli(record.startMillis);
    duration = Duration.ofNanos(Math.max(0, record.stage(Stage.TOTAL)));
    bytesFromClient = record.clientBytesIn;
    bytesToClient = record.clientBytesOut;
    bytesFromOrigin = record.serverBytesIn;
    cut = record.aborted;
    client = record.client;
  }

  private static String url(ExchangeRecord record) {
    return record.url != null ? record.url : record.target == null ? "" : record.target.url();
  }

  private static Outcome outcome(ExchangeRecord record) {
    if (record.tag == LogTag.TCP_DENIED || record.tag == LogTag.TCP_DENIED_REPLY) {
      return Outcome.DENIED;
    }
    return switch (record.hitClass) {
      case MEMORY_HIT, DISK_HIT, IMS_HIT, NOT_MODIFIED_HIT, REVALIDATED, NEGATIVE_HIT, STALE_HIT ->
          Outcome.HIT;
      case MISS, UNCACHEABLE -> Outcome.MISS;
      case TUNNEL -> Outcome.TUNNEL;
      case OWN_ANSWER -> Outcome.OWN_ANSWER;
      case ERROR -> Outcome.ERROR;
    };
  }

  /** The method; {@code -} if no request was read. */
  public String method() {
    return method;
  }

  /** The URL as logs show it, or {@code host:port} for CONNECT. */
  public String url() {
    return url;
  }

  /** The status that the client got; 0: none. */
  public int status() {
    return status;
  }

  /** Its kind. */
  public Outcome outcome() {
    return outcome;
  }

  /** When its head was read, by the clock of the proxy. */
  public Instant start() {
    return start;
  }

  /**
   * The time from the head of the request to the last byte of the response, by a monotonic clock.
   */
  public Duration duration() {
    return duration;
  }

  /** Bytes read from the client, head included. */
  public long bytesFromClient() {
    return bytesFromClient;
  }

  /** Bytes written to the client, head included. */
  public long bytesToClient() {
    return bytesToClient;
  }

  /** Bytes read for it from an origin or a parent, head included; 0: nothing was fetched. */
  public long bytesFromOrigin() {
    return bytesFromOrigin;
  }

  /** Whether it ended before the response was complete. */
  public boolean isCut() {
    return cut;
  }

  /** The address from which the client was connected; null: unknown. */
  public @Nullable InetSocketAddress client() {
    return client;
  }

  /** Method, URL, status and outcome. */
  @Override
  public String toString() {
    return method + ' ' + url + ' ' + status + ' ' + outcome;
  }
}
