package io.loligo.server.downstream.http2;

import io.loligo.server.transport.ResponseTally;

/**
 * Counts the bytes of one stream's responses. The socket takes the bytes of all streams in one
 * order, so a stream's bytes are written when the connection has written up to the last of them.
 * Confined to the client's event loop.
 */
final class StreamTally implements ResponseTally {
  /** Whether bytes of it are emitted that were not confirmed. */
  boolean listed;

  private final Http2Stream stream;
  private long emittedBytes;
  private long confirmedBytes;
  private long movedBytes;
  private long endOffset;
  private long writtenOffset;

  StreamTally(Http2Stream stream) {
    this.stream = stream;
  }

  /** {@code bytes} of a frame were passed to the connection, whose bytes now end at {@code end}. */
  void emitted(int bytes, long end) {
    emittedBytes += bytes;
    endOffset = end;
  }

  /**
   * The socket has taken the connection's bytes up to {@code written}.
   *
   * @param hasTurns whether more content of the stream only waits for its turn: then the bytes of
   *     others count as progress
   * @return whether all emitted bytes are written
   */
  boolean confirm(long written, boolean hasTurns) {
    long before = confirmedBytes;
    long left = Math.max(0, endOffset - written);
    confirmedBytes = Math.max(confirmedBytes, emittedBytes - left);
    boolean others = hasTurns || left > 0;
    movedBytes += others ? Math.max(0, written - writtenOffset) : confirmedBytes - before;
    writtenOffset = written;
    return left == 0;
  }

  @Override
  public void restart() {
    emittedBytes = 0;
    confirmedBytes = 0;
    movedBytes = 0;
    endOffset = 0;
  }

  @Override
  public long writtenBytes() {
    return confirmedBytes;
  }

  @Override
  public long movedBytes() {
    return movedBytes;
  }

  @Override
  public boolean pending() {
    return confirmedBytes < emittedBytes || stream.hasOutput();
  }

  @Override
  public boolean failed() {
    return false;
  }
}
