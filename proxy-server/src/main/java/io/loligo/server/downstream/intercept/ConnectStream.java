package io.loligo.server.downstream.intercept;

import io.loligo.core.message.ContentLength;
import io.loligo.core.message.RequestHead;
import io.loligo.server.downstream.stream.ExchangeStream;
import io.loligo.server.downstream.stream.ResponseWriter;
import io.loligo.server.downstream.stream.SilentWriter;
import io.loligo.server.exchange.client.OutgoingHead;
import io.loligo.server.transport.ResponseTally;
import io.loligo.server.tunnel.ByteStream;

/**
 * The CONNECT that the proxy itself makes for an intercepted client. Nobody gets its response: 200
 * begins the tunnel, any other status closes the connection. Confined to the channel's event loop.
 */
final class ConnectStream extends ExchangeStream {
  private final InterceptedTls connection;
  private final SilentWriter writer = new SilentWriter();

  /** The stream of {@code connection}, which is attached to its channel. */
  ConnectStream(InterceptedTls connection) {
    super(connection);
    this.connection = connection;
  }

  /** Serves the CONNECT of {@code head}, once. */
  void connect(RequestHead head, long acceptNanos) {
    connection.clients().counters().clientBusy();
    begin(head, 0, acceptNanos);
    handle(head, ContentLength.NONE);
  }

  /** The client has left. */
  void leave(boolean timedOut) {
    clientGone(timedOut);
  }

  @Override
  public boolean impliesConnect() {
    return true;
  }

  @Override
  protected void writeHead(OutgoingHead head) {
    writer.headWritten();
    if (head.status() != 200) {
      closeAfter();
    }
  }

  @Override
  protected ResponseWriter writer() {
    return writer;
  }

  @Override
  protected ResponseTally tally() {
    return writer;
  }

  @Override
  protected boolean running() {
    return connection.isConnecting();
  }

  @Override
  protected boolean tunnelling() {
    return connection.tunnels();
  }

  @Override
  protected boolean flushWrites() {
    return true;
  }

  @Override
  protected boolean takesMore() {
    return true;
  }

  @Override
  protected boolean contentAtHand() {
    return false;
  }

  @Override
  protected boolean inputEnded() {
    return false;
  }

  @Override
  protected void readMore() {}

  @Override
  protected void dropInput() {}

  @Override
  protected void contentComplete() {}

  @Override
  protected void progressed() {}

  @Override
  protected void resumed() {}

  @Override
  protected void breakOff(boolean timedOut) {
    connection.breakOff(timedOut);
  }

  @Override
  protected void finished() {
    connection.close();
  }

  @Override
  protected void closeCut() {
    connection.close();
  }

  @Override
  protected void concluding() {
    connection.clients().counters().clientIdle();
  }

  @Override
  protected ByteStream giveAway() {
    return connection.giveAway(terms().settings().streamBufferBytes);
  }

  @Override
  protected void decrypting() {
    connection.decrypting();
  }

  @Override
  protected void closeTunnel() {
    connection.channel().close();
  }

  @Override
  protected void tunnelOver() {
    connection.tunnelOver();
  }
}
