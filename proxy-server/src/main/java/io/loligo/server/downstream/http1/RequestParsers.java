package io.loligo.server.downstream.http1;

import io.loligo.core.http1.Http1RequestParser;
import io.loligo.core.http1.ParseLimits;
import io.loligo.core.message.RequestHead;
import io.loligo.server.downstream.connection.ClientConnections;
import io.loligo.server.downstream.connection.ClientSettings;
import io.loligo.server.downstream.connection.LoopState;
import java.util.ArrayDeque;

/**
 * Objects that the HTTP/1 connections of one event loop share: the array in which heads are parsed,
 * and spare parsers. Confined to that loop. The content of the array is valid only during the call
 * that used it.
 */
final class RequestParsers implements LoopState {
  /** Few: each keeps the array of its last head, which may have the maximum length. */
  private static final int SPARE_PARSERS = 8;

  private static final int READ_AHEAD_BYTES = 4_096;

  private final ArrayDeque<HeadParser> parsers = new ArrayDeque<>();

  @SuppressWarnings("NullAway.Init") // set by use, the first call
  private ParseLimits limits;

  @SuppressWarnings("NullAway.Init") // set by use, the first call
  private byte[] bytes;

  /**
   * A parser with the head it fills: they belong together while a head is incomplete.
   *
   * @param parser reusable
   * @param head reusable
   * @param limits the limits of the parser; after a reload others may be in force
   */
  record HeadParser(Http1RequestParser parser, RequestHead head, ParseLimits limits) {}

  @Override
  public void use(ClientSettings settings) {
    ParseLimits now = settings.limits;
    // compared later only: the first call of a record's equals makes classes, which a start can
    // spare
    if (limits == null || !now.equals(limits)) {
      bytes = new byte[now.maxHeadBytes() + READ_AHEAD_BYTES];
      parsers.clear();
      limits = now;
    }
  }

  /** Those of the connections in {@code clients}. */
  static RequestParsers of(ClientConnections clients) {
    return clients.shared(RequestParsers.class, RequestParsers::new);
  }

  /** The array for parsing: longer than any head within the limits. */
  byte[] bytes() {
    return bytes;
  }

  /** A parser at its start; give it back when the head is no longer needed. */
  HeadParser take() {
    HeadParser spare = parsers.pollLast();
    return spare != null
        ? spare
        : new HeadParser(new Http1RequestParser(limits), new RequestHead(), limits);
  }

  /** Gives a parser back. */
  @SuppressWarnings("ReferenceEquality") // use keeps equal limits one object
  void give(HeadParser spare) {
    spare.parser().reset();
    if (parsers.size() < SPARE_PARSERS && spare.limits() == limits) {
      parsers.addLast(spare);
    }
  }
}
