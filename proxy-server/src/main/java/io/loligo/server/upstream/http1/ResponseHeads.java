package io.loligo.server.upstream.http1;

import io.loligo.core.http1.Framing;
import io.loligo.core.http1.Http1ResponseParser;
import io.loligo.core.http1.MessageFraming;
import io.loligo.core.message.ContentLength;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.ResponseHead;

/**
 * The heads of one response after the other, and what each of them means for the exchange: wait for
 * another one, content follows, or the bytes of another protocol. Confined to the connection's
 * event loop.
 */
final class ResponseHeads {
  private final OriginConnection connection;
  private final HeadReader reader;
  private final ResponseInput input;
  private final RequestSending output;

  // the exchange
  private boolean tunnel;
  private boolean persistent;
  private int interims;

  ResponseHeads(
      OriginConnection connection,
      ConnectionContext shared,
      ResponseInput input,
      RequestSending output) {
    this.connection = connection;
    this.reader = new HeadReader(shared.scratch(), shared.limits());
    this.input = input;
    this.output = output;
  }

  /**
   * The heads of a response follow.
   *
   * @param asTunnel whether it answers a CONNECT
   * @param mayPersist whether the request lets the connection continue
   */
  void begin(boolean asTunnel, boolean mayPersist) {
    tunnel = asTunnel;
    persistent = mayPersist;
    interims = 0;
    reader.reset();
  }

  /** Whether the connection may continue after this exchange, as far as is known. */
  boolean isPersistent() {
    return persistent;
  }

  /** Whether a head has begun that is not complete. */
  boolean isPartial() {
    return reader.isPartial();
  }

  /** Reads the bytes at hand, of which there are some. */
  void parse() {
    Http1ResponseParser.Result result = input.readHead(reader);
    if (result == Http1ResponseParser.Result.NEED_MORE) {
      return;
    }
    try {
      if (result == Http1ResponseParser.Result.FAILED) {
        connection.refuse(reader.failure());
      } else {
        complete(reader.head());
      }
    } finally {
      reader.done();
    }
  }

  private void complete(ResponseHead head) {
    int status = head.status();
    if (status < 200 && status != 101) {
      interim(head);
    } else if (tunnel) {
      tunnelAnswered(head);
    } else if (status == 101) {
      upgraded(head);
    } else {
      answered(head);
    }
  }

  private void answered(ResponseHead head) {
    Framing framing = MessageFraming.of(head, output.request().methodId());
    ParseFailure failure = input.begin(framing);
    if (failure != null) {
      connection.refuse(failure);
      return;
    }
    // a peer that answers too early may take the rest of the content for another request
    persistent = persistent && !output.isSending() && Persistence.allows(head, framing);
    output.endWait();
    if (head.status() >= 300) {
      // the origin has decided without the rest of the content (RFC 9112 section 9.5)
      output.stop();
    }
    connection.contentFollows(head, framing.contentLength());
  }

  private void interim(ResponseHead head) {
    if (++interims > OriginConnection.MAX_INTERIM) {
      connection.refuse(ParseFailure.TOO_MANY_INTERIM);
      return;
    }
    persistent = persistent && !MessageFraming.announcesForbiddenContent(head);
    if (head.status() == 100 && output.endWait()) {
      connection.watch();
      connection.listener().readyForContent();
    } else {
      connection.listener().interim(head);
    }
  }

  private void tunnelAnswered(ResponseHead head) {
    int status = head.status();
    if (status < 200 || status >= 300) {
      connection.tunnelRefused(head);
    } else {
      connection.becomesRaw();
      connection.listener().tunnelOpen();
    }
  }

  private void upgraded(ResponseHead head) {
    String upgrade = output.request().upgrade();
    if (upgrade == null || output.isSending() || !switchesTo(head.fields(), upgrade)) {
      connection.refuse(ParseFailure.UNASKED_SWITCH);
    } else {
      connection.becomesRaw();
      connection.listener().head(head, ContentLength.NONE);
    }
  }

  /** Whether a 101 names this protocol only (RFC 9110 section 7.8). */
  private static boolean switchesTo(Fields fields, String protocol) {
    int line = fields.first(FieldName.UPGRADE);
    return line >= 0
        && fields.valueEquals(line, protocol)
        && fields.next(FieldName.UPGRADE, line + 1) < 0;
  }
}
