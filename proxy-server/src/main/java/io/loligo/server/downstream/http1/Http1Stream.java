package io.loligo.server.downstream.http1;

import io.loligo.core.http1.Framing;
import io.loligo.core.http1.MessageFraming;
import io.loligo.core.message.ContentLength;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.message.Method;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.RequestHead;
import io.loligo.server.downstream.stream.ExchangeStream;
import io.loligo.server.downstream.stream.Paces;
import io.loligo.server.downstream.stream.ResponseWriter;
import io.loligo.server.exchange.client.OutgoingHead;
import io.loligo.server.login.ConnectionLogin;
import io.loligo.server.record.Shed;
import io.loligo.server.time.Pace;
import io.loligo.server.transport.ResponseTally;
import io.loligo.server.transport.WriteTally;
import io.loligo.server.tunnel.ByteStream;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import org.jspecify.annotations.Nullable;

/**
 * The one stream of an HTTP/1 connection: its exchanges, one after the other. It decides whether
 * the connection persists, and handles the parts of a request and a response that are specific to
 * HTTP/1. Confined to the channel's event loop.
 *
 * <p>For a 101 it adds {@code Connection: upgrade}; the Upgrade field is among the lines.
 */
final class Http1Stream extends ExchangeStream {
  /** A response of 1 MB in memory is one write: fewer segments, and one system call. */
  private static final int PLAIN_GATHERED_BYTES = 1 << 20;

  /** The logged url of an exchange whose head was never complete. */
  private static final String NO_HEAD = "error:transaction-end-before-headers";

  private final Http1Connection connection;
  private final ReceivedBytes input;
  private final ChannelHandlerContext context;
  private final SocketTally tally;
  private final ResponseEncoder encoder;

  // the exchange in progress
  private @Nullable RequestContent content;
  private boolean connectMethod;
  private boolean persistent;

  /** Whether the last response was a challenge to a CONNECT, and nothing else has come since. */
  private boolean challenged;

  /** The stream of {@code connection}, which is attached to the channel of {@code context}. */
  Http1Stream(Http1Connection connection, ReceivedBytes input, ChannelHandlerContext context) {
    super(connection);
    this.connection = connection;
    this.input = input;
    this.context = context;
    this.tally = new SocketTally(context.channel());
    this.encoder = new ResponseEncoder(context, tally);
  }

  private final class SocketTally extends WriteTally {
    SocketTally(Channel channel) {
      super(channel);
    }

    @Override
    protected void progressed() {
      written();
    }
  }

  // ---- the request

  private void start(@Nullable RequestHead head, int bytes) {
    connection.clients().counters().clientBusy();
    long nowNanos = connection.clients().time().nanos();
    begin(head, bytes, connection.firstByteNanos(nowNanos), nowNanos);
    encoder.start(true, false);
    content = null;
    connectMethod = false;
    persistent = false;
    challenged = false;
  }

  /** Serves the request of {@code head}, borrowed. */
  void request(RequestHead head) {
    start(head, head.end());
    Framing framing = MessageFraming.of(head);
    boolean version11 = head.version() >= 11;
    encoder.start(version11, head.methodId() == Method.HEAD);
    connectMethod = head.methodId() == Method.CONNECT;
    if (framing.failure() != null) {
      refused(framing.failure());
      snapshot(head);
      return;
    }
    Fields fields = head.fields();
    persistent = persistent(head);
    if (framing.kind() == Framing.Kind.LENGTH || framing.kind() == Framing.Kind.CHUNKED) {
      Pace pace = Paces.ofRequest(terms().settings());
      RequestContent announced =
          new RequestContent(input, allocator(), framing, terms().settings().limits, pace);
      ParseFailure failure = announced.preview();
      if (failure != null) {
        // no handler is told of a request that is known to be malformed
        refused(failure);
        snapshot(head);
        return;
      }
      content = announced;
      boolean awaitsContinue =
          version11
              && !content.ended()
              && input.isEmpty()
              && fields.hasToken(FieldName.EXPECT, "100-continue");
      expect(content, awaitsContinue);
      connection.expectContent(terms().settings().streamBufferBytes);
    }
    connection.exchange();
    handle(head, framing.contentLength());
  }

  /** A proxy keeps no connection to an HTTP/1.0 client, a gateway may (RFC 9112 section 9.3). */
  private boolean persistent(RequestHead head) {
    Fields fields = head.fields();
    if (has(fields, "close")) {
      return false;
    }
    return head.version() >= 11
        || (isForGateway(head) && fields.hasToken(FieldName.CONNECTION, "keep-alive"));
  }

  /**
   * Whether the client treats this proxy as the server: it would have given a proxy the whole URL.
   */
  private boolean isForGateway(RequestHead head) {
    if (destination() != null) {
      return true;
    }
    return switch (port().mode()) {
      case ACCEL, INTERCEPT -> true;
      case FORWARD ->
          head.targetStart() < head.targetEnd() && head.bytes()[head.targetStart()] == '/';
    };
  }

  private static boolean has(Fields fields, String option) {
    return fields.hasToken(FieldName.CONNECTION, option)
        || fields.hasToken(FieldName.PROXY_CONNECTION, option);
  }

  /** Refuses {@code bytes} that are not an acceptable head. */
  void malformed(ParseFailure failure, int bytes) {
    start(null, bytes);
    record().url =
        failure == ParseFailure.HEAD_TOO_LARGE || failure == ParseFailure.TARGET_TOO_LONG
            ? "error:request-too-large"
            : "error:invalid-request";
    refused(failure);
  }

  private void refused(ParseFailure failure) {
    connection.exchange();
    answerAndClose(() -> terms().handler().refused(this, failure));
  }

  /** Refuses a head of which {@code bytes} arrived, because there is no memory for the rest. */
  void noMemoryForHead(int bytes) {
    start(null, bytes);
    record().url = NO_HEAD;
    connection.exchange();
    answerAndClose(() -> terms().handler().shed(this, ContentLength.NONE, Shed.MEMORY));
  }

  /** Responds that the rest of a head of which {@code bytes} arrived did not come in time. */
  void headTimedOut(int bytes, boolean tooSlow) {
    start(null, bytes);
    record().url = NO_HEAD;
    record().timedOut = true;
    if (tooSlow) {
      record().requestFailure = ParseFailure.TOO_SLOW;
      record().errorDetail = ParseFailure.TOO_SLOW.text();
    }
    connection.exchange();
    answerAndClose(() -> terms().handler().headTimedOut(this));
  }

  /** The client left while its head, of which {@code bytes} arrived, was not complete. */
  void leftInHead(int bytes, boolean timedOut) {
    start(null, bytes);
    record().url = NO_HEAD;
    record().aborted = true;
    record().timedOut = timedOut;
    conclude();
  }

  // ---- the response

  @Override
  protected void writeHead(OutgoingHead head) {
    int status = head.status();
    encoder.frame(head.contentLength());
    if (mustClose(status)) {
      closeAfter();
    }
    challenged = connectMethod && mayLogIn(status);
    boolean upgrading = status == 101;
    boolean tunnel = upgrading || (connectMethod && status / 100 == 2);
    encoder.writeHead(head, encoder.connectionLine(upgrading, tunnel, closing()));
  }

  private boolean mustClose(int status) {
    int most = terms().settings().maxRequestsPerConnection;
    return !persistent
        || encoder.untilClose()
        || connection.ends()
        || portGone()
        || !terms().settings().persistent
        || (most > 0 && connection.served() + 1 >= most)
        || contentBroken()
        // a client without 100 (Continue) may send its content or not
        || awaitsContinue()
        || (contentMissing() && isMuchMissing())
        || (connectMethod && status / 100 != 2 && !mayLogIn(status));
  }

  /**
   * Bytes after a refused CONNECT are not HTTP, whenever they come (RFC 9931). The exception is a
   * CONNECT with credentials after a challenge: several tokens need one connection.
   */
  private boolean mayLogIn(int status) {
    return status == 407 && input.isEmpty();
  }

  /**
   * Whether {@code head} is none that may follow the last response: after a challenge to a CONNECT,
   * only another CONNECT with credentials may.
   */
  boolean expectsOther(RequestHead head) {
    boolean login =
        head.methodId() == Method.CONNECT && head.fields().has(FieldName.PROXY_AUTHORIZATION);
    return challenged && !login;
  }

  @Override
  public ConnectionLogin login() {
    return connection.login();
  }

  private boolean isMuchMissing() {
    assert content != null : "some is missing";
    return !content.mayEndWithin(Http1Connection.DRAIN_LIMIT_BYTES);
  }

  @Override
  public void forgetContent() {
    super.forgetContent();
    content = null;
  }

  /** The content of the last request; null: it has none, or it was refused. */
  @Nullable RequestContent content() {
    return content;
  }

  /** Whether the client keeps the connection after the last response. */
  boolean persistent() {
    return persistent;
  }

  @Override
  protected ResponseWriter writer() {
    return encoder;
  }

  @Override
  protected ResponseTally tally() {
    return tally;
  }

  @Override
  protected boolean flushWrites() {
    context.flush();
    return true;
  }

  @Override
  protected boolean takesMore() {
    return context.channel().isWritable();
  }

  /** With TLS the default: it copies the bytes, and a client that reads nothing keeps the copy. */
  @Override
  public int gatheredBytes() {
    return tally.isSecure() ? super.gatheredBytes() : PLAIN_GATHERED_BYTES;
  }

  // ---- the connection

  @Override
  protected boolean running() {
    return connection.isExchanging();
  }

  @Override
  protected boolean tunnelling() {
    return connection.tunnels();
  }

  @Override
  protected boolean contentAtHand() {
    return !input.isEmpty();
  }

  @Override
  protected boolean inputEnded() {
    return connection.isInputShut();
  }

  @Override
  protected void readMore() {
    connection.readMore();
  }

  @Override
  protected void dropInput() {
    input.release();
  }

  @Override
  protected void contentComplete() {
    connection.expectHead();
  }

  @Override
  protected void breakOff(boolean timedOut) {
    connection.breakOff(timedOut);
  }

  @Override
  protected void progressed() {
    connection.responseMoved();
  }

  @Override
  protected void finished() {
    connection.finished();
  }

  @Override
  protected void closeCut() {
    connection.closeCut(encoder.untilClose() || !encoder.headSent());
  }

  @Override
  protected void concluding() {
    connection.concluding();
  }

  @Override
  protected void resumed() {
    connection.resumed();
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
    context.channel().close();
  }

  @Override
  protected void tunnelOver() {
    connection.tunnelOver();
  }
}
