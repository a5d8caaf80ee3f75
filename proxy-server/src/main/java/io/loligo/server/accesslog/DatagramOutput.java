package io.loligo.server.accesslog;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Each line is a datagram: unchanged for {@code udp}, with a header and without its line feed for
 * {@code syslog}. Confined to the log writer's thread; never waits.
 */
final class DatagramOutput implements LogOutput {
  private static final int MAX_BYTES = 65_507;

  private final DatagramSender sender;
  private final @Nullable SyslogHeader header;
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(MAX_BYTES);
  private long lostLines;

  /**
   * Sends through {@code sender}, which it closes.
   *
   * @param header before each line; null: none
   */
  DatagramOutput(DatagramSender sender, @Nullable SyslogHeader header) {
    this.sender = sender;
    this.header = header;
  }

  @Override
  public void line(byte[] bytes, int start, int length, int secondStart, int secondLength)
      throws IOException {
    buffer.clear();
    if (header != null) {
      buffer.put(header.now());
    }
    int room = buffer.remaining();
    int first = Math.min(length, room);
    buffer.put(bytes, start, first);
    buffer.put(bytes, secondStart, Math.min(secondLength, room - first));
    buffer.flip();
    if (header != null && buffer.get(buffer.limit() - 1) == '\n') {
      buffer.limit(buffer.limit() - 1);
    }
    boolean sent = false;
    try {
      sent = sender.send(buffer);
    } finally {
      lostLines += sent ? 0 : 1;
    }
  }

  @Override
  public void flush() {
    // every line has left
  }

  @Override
  public void reopen(boolean rotates) throws IOException {
    sender.reopen();
  }

  @Override
  public long lostLines() {
    return lostLines;
  }

  @Override
  public void close() throws IOException {
    sender.close();
  }
}
