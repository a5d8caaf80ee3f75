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
  private PartialHead partial;

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

  /** Bytes of the part that has arrived. */
  int length() {
    return partial.length();
  }

  /** Whether the bytes so far came below its pace. */
  boolean isTooSlow() {
    return partial.tooSlow(clients.timer().tick());
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
      readRest();
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
        ParseFailure failure = parser.failure();
        parsers.give(spare);
        listener.malformed(failure, parsed);
      }
      default -> {
        unread.skipBytes(parsed);
        in.releaseIfRead();
        partial = keep(spare, bytes, parsed);
        waitForMore();
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

  private void readRest() {
    ByteBuf unread = in.bytes();
    partial.moved(clients.timer().tick(), unread.readableBytes());
    Http1RequestParser.Result result = partial.parse(unread);
    in.releaseIfRead();
    switch (result) {
      case COMPLETE -> {
        PartialHead done = partial;
        partial = null;
        listener.request(done.head());
        done.release(parsers);
      }
      case FAILED -> {
        malformed(partial.parser().failure());
      }
      default -> {
        waitForMore();
      }
    }
  }

  private void waitForMore() {
    partial.arm(clients.timer(), timeout);
    if (partial.full()) {
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
    int length = partial.length();
    partial.release(parsers);
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
