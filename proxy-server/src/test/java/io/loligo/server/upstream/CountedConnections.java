package io.loligo.server.upstream;

import io.loligo.core.message.ParseFailure;
import io.loligo.server.tls.TlsFault;
import java.util.ArrayList;
import java.util.List;

/** Counts, to be compared with the expected state. Confined to one thread. */
public class CountedConnections implements UpstreamCounters {
  public int open;
  public int idle;
  public int reused;
  public int failed;
  public final List<ParseFailure> refused = new ArrayList<>();

  @Override
  public void opened() {
    open++;
  }

  @Override
  public void closed() {
    open--;
  }

  @Override
  public void connectFailed() {
    failed++;
  }

  @Override
  public void reused() {
    reused++;
  }

  @Override
  public void multiplexed() {}

  @Override
  public void idle(int change) {
    idle += change;
  }

  @Override
  public void handshakeFailed(TlsFault fault) {}

  @Override
  public void tolerated(TlsFault fault) {}

  @Override
  public void refused(ParseFailure failure) {
    refused.add(failure);
  }
}
