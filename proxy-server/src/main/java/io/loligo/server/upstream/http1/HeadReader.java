package io.loligo.server.upstream.http1;

import io.loligo.core.http1.Http1ResponseParser;
import io.loligo.core.http1.ParseLimits;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.ResponseHead;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Collects the bytes of response heads and parses them. A head that arrives whole is parsed in the
 * loop's scratch array, any other in an array of its own from the second read on. Confined to one
 * event loop.
 */
final class HeadReader {
  private static final int STEP = 2_048;
  private static final int OWN_LEAST = 4_096;

  private final HeadScratch scratch;
  private final Http1ResponseParser parser;
  private final ResponseHead head = new ResponseHead();
  private byte @Nullable [] bytes;
  private int length;

  HeadReader(HeadScratch scratch, ParseLimits limits) {
    this.scratch = scratch;
    this.parser = new Http1ResponseParser(limits);
  }

  /** Starts over. */
  void reset() {
    parser.reset();
    bytes = null;
    length = 0;
  }

  /**
   * Consumes bytes of the head from {@code in}, borrowed. When it is complete, {@link #head} is
   * valid until {@link #done}, which must follow, also after a failure.
   */
  Http1ResponseParser.Result read(ByteBuf in) {
    if (bytes == null) {
      bytes = scratch.borrow();
    }
    while (in.isReadable()) {
      int before = length;
      int take = Math.min(STEP, in.readableBytes());
      if (before + take > bytes.length) {
        own(Math.max(2 * bytes.length, before + take));
      }
      in.getBytes(in.readerIndex(), bytes, before, take);
      length = before + take;
      Http1ResponseParser.Result result = parser.parse(bytes, length, head);
      if (result == Http1ResponseParser.Result.COMPLETE) {
        in.skipBytes(head.end() - before);
        return result;
      }
      if (result == Http1ResponseParser.Result.FAILED) {
        return result;
      }
      in.skipBytes(take);
    }
    // the head continues in another read, and the scratch is for the next reader
    own(Math.max(OWN_LEAST, 2 * length));
    return Http1ResponseParser.Result.NEED_MORE;
  }

  /** Whether a head has begun that is not complete. */
  boolean isPartial() {
    return length > 0;
  }

  ResponseHead head() {
    return head;
  }

  ParseFailure failure() {
    ParseFailure failure = parser.failure();
    assert failure != null : "the head did not fail";
    return failure;
  }

  /** Releases the bytes; the next head may be read. */
  void done() {
    assert bytes != null : "nothing was read";
    scratch.giveBack(bytes);
    reset();
  }

  private void own(int capacity) {
    assert bytes != null : "nothing was borrowed";
    byte[] larger = Arrays.copyOf(bytes, capacity);
    scratch.giveBack(bytes);
    bytes = larger;
  }
}
