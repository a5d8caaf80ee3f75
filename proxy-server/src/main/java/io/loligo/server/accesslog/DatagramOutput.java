package io.loligo.server.accesslog;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.charset.StandardCharsets;

/**
 * Each line a datagram, without its line feed: plain for {@code udp}, with a priority and a tag in
 * front for {@code syslog} (RFC 3164). Confined to the log writer's thread; never waits.
 */
final class DatagramOutput implements LogOutput {
  private static final int MAX_BYTES = 65_507;

  private final InetSocketAddress target;
  private final byte[] prefix;
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(MAX_BYTES);
  private DatagramChannel channel;
  private long lostLines;

  /**
   * @param prefix in front of each line, may be empty
   */
  DatagramOutput(InetSocketAddress target, String prefix) throws IOException {
    this.target = target;
    this.prefix = prefix.getBytes(StandardCharsets.US_ASCII);
    channel = open();
  }

  private DatagramChannel open() throws IOException {
    DatagramChannel fresh = DatagramChannel.open();
    try {
      fresh.configureBlocking(false);
      fresh.connect(target);
      return fresh;
    } catch (IOException | RuntimeException e) {
      fresh.close();
      throw e;
    }
  }

  @Override
  public void line(byte[] bytes, int start, int length, int secondStart, int secondLength)
      throws IOException {
    buffer.clear().put(prefix);
    int room = buffer.remaining();
    int first = Math.min(length, room);
    buffer.put(bytes, start, first);
    buffer.put(bytes, secondStart, Math.min(secondLength, room - first));
    buffer.flip();
    if (buffer.get(buffer.limit() - 1) == '\n') {
      buffer.limit(buffer.limit() - 1);
    }
    try {
      if (channel.write(buffer) == 0) {
        lostLines++;
      }
    } catch (IOException e) {
      lostLines++;
      throw e;
    }
  }

  @Override
  public void flush() {
    // every line has left
  }

  @Override
  public void reopen(int generations) throws IOException {
    DatagramChannel fresh = open();
    channel.close();
    channel = fresh;
  }

  @Override
  public long lostLines() {
    return lostLines;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
