package io.loligo.server.upstream.http1;

import io.loligo.server.transport.ReadSize;
import io.loligo.store.memory.MemoryLedger;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;

/**
 * The size of the next read of one connection: few bytes while it is idle, enough for a head with
 * usual content, or with as much as the last response had, while a head is awaited, and the missing
 * bytes of content of known length, unless that arrives in pieces: a piece that waits for a slow
 * client holds all of its buffer. Otherwise as many as arrive, up to the stream buffer; few if
 * memory is scarce. One read at a time, and no buffer before there is something to read. Confined
 * to the connection's event loop.
 */
final class ReadSizes extends DefaultMaxMessagesRecvByteBufAllocator {
  private static final int IDLE = 64;

  /** The largest size for which the pool keeps buffers per thread. */
  private static final int HEAD = 32_768;

  /** Bytes for a head before content that is expected. */
  private static final int HEAD_ROOM = 2_048;

  private static final int LEAST = 4_096;

  /** Small reads in a row after which content of known length gets smaller buffers. */
  private static final int SMALL_READS = 4;

  /** Bytes around those of one record, at most, and around a small one. */
  private static final int RECORD_BYTES = 256;

  private final int streamBufferBytes;
  private final int most;
  private final boolean secure;
  private final MemoryLedger transit;
  private int next;

  /** Bytes of a head with content like that of the last response; 0: the usual ones. */
  private int expected;

  private boolean relays;
  private boolean adaptive;

  /** Whether content of known length arrives. */
  private boolean bounded;

  /** Bytes of a read of such content, at most. */
  private int fit;

  private int smallReads;

  /**
   * Sizes for one connection.
   *
   * @param secure whether the bytes are records of TLS, which are longer than their content
   * @param transit tells how scarce memory is
   */
  ReadSizes(int streamBufferBytes, boolean secure, MemoryLedger transit) {
    super(1);
    this.streamBufferBytes = streamBufferBytes;
    this.secure = secure;
    this.most = Math.max(LEAST, ReadSize.intoBufferOf(streamBufferBytes));
    this.transit = transit;
    fit = most;
    head();
  }

  void idle() {
    next = secure ? LEAST : IDLE; // tickets of sessions arrive
    adaptive = false;
    bounded = false;
  }

  void head() {
    next = Math.max(Math.min(most, HEAD), expected);
    adaptive = false;
    bounded = false;
    fit = most;
    smallReads = 0;
  }

  /**
   * A response has begun with content of {@code contentLength} bytes; negative: none, or of unknown
   * length. If the next one is alike, and its content fits into the stream buffer, it is read at
   * once: half the reads, and half the writes to the client.
   */
  void responds(long contentLength) {
    expected =
        contentLength > HEAD - HEAD_ROOM && contentLength <= streamBufferBytes
            ? (int) (contentLength + HEAD_ROOM + around(contentLength))
            : 0;
  }

  /** Content of which {@code remaining} bytes are missing; one more, to detect a surplus. */
  void content(long remaining) {
    next = (int) Math.min(fit, Math.max(LEAST, remaining + around(remaining)));
    adaptive = false;
    bounded = true;
  }

  /** Bytes beside those of content: of records, or one of a surplus. */
  private long around(long bytes) {
    return secure ? RECORD_BYTES + bytes / 64 : 1;
  }

  /** Content of unknown length. */
  void stream() {
    if (!adaptive) {
      next = Math.min(most, HEAD);
      adaptive = true;
    }
  }

  /** Bytes of a tunnel, from now on: no memory is reserved for them. */
  void relay() {
    relays = true;
    stream();
  }

  private void received(int attempted, int bytes) {
    if (bounded && bytes > 0) {
      fitTo(attempted, bytes);
    }
    if (!adaptive || bytes <= 0) {
      return;
    }
    if (bytes == attempted) {
      next = Math.min(most, next * 4);
    } else if (bytes < next / 8) {
      next = Math.max(LEAST, next / 4);
    }
  }

  private void fitTo(int attempted, int bytes) {
    if (bytes == attempted) {
      fit = Math.min(most, fit * 4);
      smallReads = 0;
    } else if (bytes >= attempted / 8) {
      smallReads = 0;
    } else if (++smallReads == SMALL_READS) {
      fit = Math.max(LEAST, fit / 4);
      smallReads = 0;
    }
  }

  @Override
  @SuppressWarnings("deprecation") // the type of the interface that is implemented
  public Handle newHandle() {
    return new SizeHandle();
  }

  private final class SizeHandle extends MaxMessageHandle {
    @Override
    public int guess() {
      if (relays) {
        return transit.readable(next);
      }
      return transit.isScarce() ? Math.min(next, LEAST) : next;
    }

    @Override
    public void lastBytesRead(int bytes) {
      super.lastBytesRead(bytes);
      received(attemptedBytesRead(), bytes);
    }
  }
}
