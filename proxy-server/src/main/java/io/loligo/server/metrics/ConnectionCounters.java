package io.loligo.server.metrics;

import io.loligo.core.message.ParseFailure;
import io.loligo.server.record.Shed;
import io.loligo.server.record.TlsFailure;
import io.loligo.server.tls.TlsFault;
import java.util.function.Consumer;
import java.util.function.ObjIntConsumer;

/**
 * Connections of one event loop, counted by the code that opens and closes them. The methods belong
 * to the loop; any thread reads the sums through {@link ProxyMetrics}.
 */
public final class ConnectionCounters {
  private final LongCells gauges;
  private final LongCells counters;
  private final Consumer<ParseFailure> refusals;
  private final Consumer<Shed> sheds;
  private final Consumer<TlsFailure> tlsFailures;
  private final ObjIntConsumer<CounterFamily> families;
  private final long maxHeadBytes;
  private long headBytes;

  ConnectionCounters(
      LongCells gauges,
      LongCells counters,
      Consumer<ParseFailure> refusals,
      Consumer<Shed> sheds,
      Consumer<TlsFailure> tlsFailures,
      ObjIntConsumer<CounterFamily> families,
      long maxHeadBytes) {
    this.sheds = sheds;
    this.tlsFailures = tlsFailures;
    this.families = families;
    this.maxHeadBytes = maxHeadBytes;
    this.gauges = gauges;
    this.counters = counters;
    this.refusals = refusals;
  }

  /** A client's connection was accepted; it counts as idle after {@link #clientIdle}. */
  public void clientOpened() {
    gauges.add(ConnectionGauge.CLIENT_OPEN.ordinal(), 1);
    counters.add(Counter.CLIENT_CONNECTIONS.ordinal(), 1);
  }

  /** A client's connection is closed. If it was idle, call {@link #clientBusy} before. */
  public void clientClosed() {
    gauges.add(ConnectionGauge.CLIENT_OPEN.ordinal(), -1);
  }

  /** A client's connection waits for a request. */
  public void clientIdle() {
    gauges.add(ConnectionGauge.CLIENT_IDLE.ordinal(), 1);
  }

  /** A client's connection no longer waits. */
  public void clientBusy() {
    gauges.add(ConnectionGauge.CLIENT_IDLE.ordinal(), -1);
  }

  /** A client's connection is closed because there are too many. */
  public void clientShed(Shed why) {
    sheds.accept(why);
  }

  /** A connection is closed for lack of an acceptable header of the PROXY protocol. */
  public void proxyHeaderRefused() {
    counters.add(Counter.PROXY_HEADERS_REFUSED.ordinal(), 1);
  }

  /** A connection to a port that intercepts is closed, because it was not intercepted. */
  public void destinationUnknown() {
    counters.add(Counter.DESTINATIONS_UNKNOWN.ordinal(), 1);
  }

  /** A TLS handshake with a client is finished. */
  public void handshakeDone() {
    counters.add(Counter.TLS_HANDSHAKES.ordinal(), 1);
  }

  /** A client refused a certificate that was made for a decrypted tunnel. */
  public void hostCertificateRefused() {
    counters.add(Counter.HOST_CERTIFICATES_REFUSED.ordinal(), 1);
  }

  /** A client's connection ends within its handshake, or because of a broken record. */
  public void tlsFailed(TlsFailure why) {
    tlsFailures.accept(why);
  }

  /** A request begins. */
  public void requestBegan() {
    gauges.add(ConnectionGauge.REQUEST_OPEN.ordinal(), 1);
  }

  /** A request is over. */
  public void requestEnded() {
    gauges.add(ConnectionGauge.REQUEST_OPEN.ordinal(), -1);
  }

  /** A request begins or joins a fetch. */
  public void forwardingBegan() {
    gauges.add(ConnectionGauge.FORWARDED_OPEN.ordinal(), 1);
  }

  /** A request that was forwarded is over. */
  public void forwardingEnded() {
    gauges.add(ConnectionGauge.FORWARDED_OPEN.ordinal(), -1);
  }

  /** Requests of clients in progress, without tunnels. */
  public long requestsInProgress() {
    return gauges.get(ConnectionGauge.CLIENT_OPEN.ordinal())
        - gauges.get(ConnectionGauge.CLIENT_IDLE.ordinal())
        - gauges.get(ConnectionGauge.TUNNEL_OPEN.ordinal());
  }

  /**
   * Heads of clients, incomplete ones and those of requests in progress, take this much more of the
   * Java heap; negative: less.
   */
  public void headsKept(long bytes) {
    headBytes += bytes;
  }

  /** Bytes of the Java heap that heads of clients take. On the loop. */
  public long headBytes() {
    return headBytes;
  }

  /** Whether that is their limit. On the loop. */
  public boolean headsAreTooMany() {
    return headBytes > maxHeadBytes;
  }

  /** The rest of a response whose connection broke off is requested. */
  public void fetchResumed() {
    counters.add(Counter.SERVER_RESUMED.ordinal(), 1);
  }

  /** A connection to a next hop is established. */
  public void serverOpened() {
    gauges.add(ConnectionGauge.SERVER_OPEN.ordinal(), 1);
    counters.add(Counter.SERVER_CONNECTIONS.ordinal(), 1);
  }

  /** A connection to a next hop is closed. If it was idle, call {@link #serverLeftPool} before. */
  public void serverClosed() {
    gauges.add(ConnectionGauge.SERVER_OPEN.ordinal(), -1);
  }

  /** A connection to a next hop is idle in the pool. */
  public void serverIdle() {
    gauges.add(ConnectionGauge.SERVER_IDLE.ordinal(), 1);
  }

  /** A connection that left the pool ({@link #serverLeftPool}) is used again. */
  public void serverReused() {
    counters.add(Counter.SERVER_REUSED.ordinal(), 1);
  }

  /** A request was sent over HTTP/2. */
  public void serverMultiplexed() {
    counters.add(Counter.SERVER_HTTP2.ordinal(), 1);
  }

  /** A connection left the pool, to be reused or closed. */
  public void serverLeftPool() {
    gauges.add(ConnectionGauge.SERVER_IDLE.ordinal(), -1);
  }

  /** A connection could not be established. */
  public void serverConnectFailed() {
    counters.add(Counter.SERVER_CONNECT_FAILURES.ordinal(), 1);
  }

  /** A next hop sent an invalid response, an incomplete one, or surplus bytes. */
  public void serverRefused(ParseFailure failure) {
    refusals.accept(failure);
  }

  /** A handshake with a next hop failed. */
  public void serverHandshakeFailed(TlsFault fault) {
    families.accept(CounterFamily.SERVER_TLS_FAULT, fault.ordinal());
  }

  /** A connection to a next hop was made in spite of a fault of its certificate. */
  public void serverTolerated(TlsFault fault) {
    families.accept(CounterFamily.TOLERATED_CERTIFICATE, fault.ordinal());
  }

  /** Bytes begin to flow through a tunnel. */
  public void tunnelOpened() {
    gauges.add(ConnectionGauge.TUNNEL_OPEN.ordinal(), 1);
  }

  /** A tunnel has ended. */
  public void tunnelClosed() {
    gauges.add(ConnectionGauge.TUNNEL_OPEN.ordinal(), -1);
  }
}
