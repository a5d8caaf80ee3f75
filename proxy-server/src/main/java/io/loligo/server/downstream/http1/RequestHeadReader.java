package io.loligo.server.downstream.http1;

import io.loligo.core.http1.Http1RequestParser;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.RequestHead;
import io.loligo.server.downstream.connection.ClientConnections;
import io.loligo.server.downstream.connection.ClientSettings;
import io.loligo.server.downstream.http1.RequestParsers.HeadParser;
import io.loligo.server.downstream.stream.Paces;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.time.Pace;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Reads the heads of requests, one after the other, in an array of the loop. A head that did not
 * arrive in one piece is kept, and gets a limited time. Confined to the event loop of its
 * connection.
 */
final class RequestHeadReader {
  /** Told the result of {@link #read}. */
  interface Listener {
    /** A head arrived; borrowed until this returns. */
    void request(RequestHead head);

    /** The first {@code bytes} are not an acceptable head. */
    void malformed(ParseFailure failure, int bytes);

    /** There is no memory for the rest of a head of which {@code bytes} arrived. */
    void noMemory(int bytes);
  }

  private final ClientConnections clients;
  private final RequestParsers parsers;
  private final ReceivedBytes in;
  private final LoopTimer.Timeout timeout;
  private final Listener listener;

  /** Skipped empty lines before the next request. */
  private int emptyLines;

  /** A head of which bytes are missing; null: none. */
  private @Nullable PartialHead partial;

  /**
   * Reads from {@code in}.
   *
   * @param timeout armed while bytes of a head are missing
   */
  RequestHeadReader(
      ClientConnections clients, ReceivedBytes in, LoopTimer.Timeout timeout, Listener listener) {
    this.clients = clients;
    this.parsers = RequestParsers.of(clients);
    this.in = in;
    this.timeout = timeout;
    this.listener = listener;
  }

  /** Whether a head has begun to arrive and is not complete. */
  boolean isPartial() {
    return partial != null;
  }

  private PartialHead begun() {
    PartialHead begun = partial;
    assert begun != null : "no part of a head has arrived";
    return begun;
  }

  /** Bytes of the part that has arrived. */
  int length() {
    return begun().length();
  }

  /** Whether the bytes so far came below its pace. */
  boolean isTooSlow() {
    return begun().tooSlow(clients.timer().tick());
  }

  /**
   * Skips empty lines before a request (RFC 9112 section 2.2); they start no timeout. The parser
   * refuses more than a few, however they are cut.
   */
  void skipEmptyLines() {
    ByteBuf bytes = in.bytes();
    int at = bytes.readerIndex();
    int end = bytes.writerIndex();
    while (at + 1 < end
        && emptyLines < Http1RequestParser.MAX_EMPTY_LINES
        && bytes.getShort(at) == ('\r' << 8 | '\n')) {
      at += 2;
      emptyLines++;
    }
    if (at != bytes.readerIndex()) {
      bytes.readerIndex(at);
      in.releaseIfRead();
    }
  }

  /** Reads the bytes at hand, at least one. Arms the timeout for missing ones. */
  void read() {
    if (partial == null) {
      readFirst();
    } else {
      readRest(partial);
    }
  }

  private void readFirst() {
    byte[] bytes = parsers.bytes();
    HeadParser spare = parsers.take();
    Http1RequestParser parser = spare.parser();
    parser.skipped(emptyLines);
    emptyLines = 0;
    ByteBuf unread = in.bytes();
    Http1RequestParser.Result result;
    int from = unread.readerIndex();
    int available = Math.min(unread.readableBytes(), bytes.length);
    int parsed = 0;
    do {
      int more = Math.min(available - parsed, Math.max(Http1Connection.HEAD_READ_BYTES, parsed));
      unread.getBytes(from + parsed, bytes, parsed, more);
      parsed += more;
      result = parser.parse(bytes, parsed, spare.head());
    } while (result == Http1RequestParser.Result.NEED_MORE && parsed < available);
    switch (result) {
      case COMPLETE -> {
        unread.skipBytes(spare.head().end());
        in.releaseIfRead();
        listener.request(spare.head());
        parsers.give(spare);
      }
      case FAILED -> {
        ParseFailure failure = failure(parser);
        parsers.give(spare);
        listener.malformed(failure, parsed);
      }
      default -> {
        unread.skipBytes(parsed);
        in.releaseIfRead();
        PartialHead kept = keep(spare, bytes, parsed);
        partial = kept;
        waitForMore(kept);
      }
    }
  }

  private PartialHead keep(HeadParser parser, byte[] bytes, int received) {
    ClientSettings settings = clients.settings();
    Pace pace = Paces.ofRequest(settings);
    if (pace != null) {
      pace.owed(clients.timer().tick());
    }
    long endTick = clients.timer().deadline(settings.requestMillis);
    return new PartialHead(
        parser, bytes, received, bytes.length, pace, endTick, clients.counters());
  }

  private void readRest(PartialHead begun) {
    ByteBuf unread = in.bytes();
    begun.moved(clients.timer().tick(), unread.readableBytes());
    Http1RequestParser.Result result = begun.parse(unread);
    in.releaseIfRead();
    switch (result) {
      case COMPLETE -> {
        partial = null;
        listener.request(begun.head());
        begun.release(parsers);
      }
      case FAILED -> {
        malformed(failure(begun.parser()));
      }
      default -> {
        waitForMore(begun);
      }
    }
  }

  private static ParseFailure failure(Http1RequestParser parser) {
    ParseFailure failure = parser.failure();
    assert failure != null : "it has not failed";
    return failure;
  }

  private void waitForMore(PartialHead begun) {
    begun.arm(clients.timer(), timeout);
    if (begun.full()) {
      malformed(ParseFailure.HEAD_TOO_LARGE);
    } else if (clients.counters().headsAreTooMany()) {
      listener.noMemory(drop());
    }
  }

  private void malformed(ParseFailure failure) {
    listener.malformed(failure, drop());
  }

  /** Drops the part of a head that has arrived; returns its length. */
  int drop() {
    PartialHead dropped = begun();
    int length = dropped.length();
    dropped.release(parsers);
    partial = null;
    return length;
  }

  /** The terminal method. */
  void release() {
    if (partial != null) {
      drop();
    }
  }
}
