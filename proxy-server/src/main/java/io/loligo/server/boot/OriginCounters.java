package io.loligo.server.boot;

import io.loligo.core.message.ParseFailure;
import io.loligo.server.metrics.ConnectionCounters;
import io.loligo.server.tls.TlsFault;
import io.loligo.server.upstream.UpstreamCounters;

/** Counts connections to next hops among the metrics of their loop. Confined to that loop. */
record OriginCounters(ConnectionCounters counters) implements UpstreamCounters {
  @Override
  public void opened() {
    counters.serverOpened();
  }

  @Override
  public void closed() {
    counters.serverClosed();
  }

  @Override
  public void connectFailed() {
    counters.serverConnectFailed();
  }

  @Override
  public void reused() {
    counters.serverReused();
  }

  @Override
  public void multiplexed() {
    counters.serverMultiplexed();
  }

  @Override
  public void idle(int change) {
    for (int i = 0; i < change; i++) {
      counters.serverIdle();
    }
    for (int i = 0; i > change; i--) {
      counters.serverLeftPool();
    }
  }

  @Override
  public void refused(ParseFailure failure) {
    counters.serverRefused(failure);
  }

  @Override
  public void handshakeFailed(TlsFault fault) {
    counters.serverHandshakeFailed(fault);
  }

  @Override
  public void tolerated(TlsFault fault) {
    counters.serverTolerated(fault);
  }
}
