package io.loligo.server.downstream.http1;

import io.loligo.core.http1.Http1RequestParser;
import io.loligo.core.message.RequestHead;
import io.loligo.server.downstream.http1.RequestParsers.HeadParser;
import io.loligo.server.metrics.ConnectionCounters;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.time.Pace;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A head that did not arrive in one piece, and the time for the rest. Confined to the event loop of
 * its connection.
 */
final class PartialHead {
  private final HeadParser parser;
  private final int maxBytes;
  private final @Nullable Pace pace;
  private final long endTick;
  private final ConnectionCounters counters;
  private byte[] bytes;
  private int length;

  /**
   * A head whose first bytes {@code parser} has seen.
   *
   * @param parser taken from {@link RequestParsers}; see {@link #release}
   * @param scratch array of which the first {@code length} bytes were parsed, copied
   * @param maxBytes most bytes kept
   * @param pace at which the rest has to come, owed already; null: any
   * @param endTick when it has to be complete; see {@link LoopTimer#deadline}
   * @param counters where its bytes are counted until {@link #release}
   */
  PartialHead(
      HeadParser parser,
      byte[] scratch,
      int length,
      int maxBytes,
      @Nullable Pace pace,
      long endTick,
      ConnectionCounters counters) {
    this.parser = parser;
    this.maxBytes = maxBytes;
    this.bytes = Arrays.copyOf(scratch, length);
    this.length = length;
    this.pace = pace;
    this.endTick = endTick;
    this.counters = counters;
    counters.headsKept(length);
  }

  /** Bytes of it arrived. */
  void moved(long tick, int count) {
    if (pace != null) {
      pace.moved(tick, count);
    }
  }

  /** Arms {@code timeout} for the end of that time. */
  void arm(LoopTimer timer, LoopTimer.Timeout timeout) {
    timer.arm(timeout, endTick, pace);
  }

  /** Whether it arrives below its pace. */
  boolean tooSlow(long tick) {
    return pace != null && pace.late(tick);
  }

  /**
   * Continues parsing with the bytes of {@code in}, borrowed: consumes those that belong to the
   * head.
   */
  Http1RequestParser.Result parse(ByteBuf in) {
    int more = Math.min(in.readableBytes(), maxBytes - length);
    if (length + more > bytes.length) {
      int room = Math.max(length + more, Math.min(maxBytes, bytes.length * 2));
      counters.headsKept(room - bytes.length);
      bytes = Arrays.copyOf(bytes, room);
    }
    in.getBytes(in.readerIndex(), bytes, length, more);
    int before = length;
    length += more;
    Http1RequestParser.Result result = parser.parser().parse(bytes, length, parser.head());
    in.skipBytes(
        result == Http1RequestParser.Result.COMPLETE ? parser.head().end() - before : more);
    return result;
  }

  /** Bytes received. */
  int length() {
    return length;
  }

  /** Whether no more bytes fit. */
  boolean full() {
    return length == maxBytes;
  }

  /** The complete head. Borrowed until {@link #release}. */
  RequestHead head() {
    return parser.head();
  }

  /** The parser, for its failure. */
  Http1RequestParser parser() {
    return parser.parser();
  }

  /** Gives the parser back; the head must not be used any more. */
  void release(RequestParsers parsers) {
    counters.headsKept(-bytes.length);
    parsers.give(parser);
  }
}
