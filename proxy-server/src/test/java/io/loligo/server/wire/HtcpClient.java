package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufUtil;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;

/** A neighbour that speaks HTCP, written without the code under test. Confined to one thread. */
final class HtcpClient implements AutoCloseable {
  static final int NOP = 0;
  static final int TST = 1;
  static final int MON = 2;
  static final int CLR = 4;

  private final DatagramSocket socket;
  private final InetSocketAddress server;
  private int id;

  /** One at {@code address} that asks {@code port} of 127.0.0.1. */
  HtcpClient(String address, int port) throws IOException {
    socket = new DatagramSocket(0, InetAddress.getByName(address));
    server = new InetSocketAddress(InetAddress.getByName("127.0.0.1"), port);
  }

  /** A UDP port of no process. */
  static int freePort() throws IOException {
    try (DatagramSocket free = new DatagramSocket(0, InetAddress.getByName("127.0.0.1"))) {
      return free.getLocalPort();
    }
  }

  int port() {
    return socket.getLocalPort();
  }

  /** Sends a request; {@code answered} is the flag F1. */
  void send(int opcode, boolean answered, String url, String... fieldLines) throws IOException {
    StringBuilder fields = new StringBuilder();
    for (String line : fieldLines) {
      fields.append(line).append("\r\n");
    }
    ByteBuffer data = ByteBuffer.allocate(4096);
    if (opcode == CLR) {
      data.putShort((short) 0);
    }
    if (!url.isEmpty()) {
      for (String text : new String[] {"GET", url, "HTTP/1.1", fields.toString()}) {
        data.putShort((short) text.length()).put(text.getBytes(ISO_8859_1));
      }
    }
    data.flip();
    id++;
    int length = 8 + data.remaining();
    ByteBuffer message = ByteBuffer.allocate(4 + length + 2);
    message.putShort((short) message.capacity()).put((byte) 0).put((byte) 1);
    message.putShort((short) length).put((byte) (opcode << 4)).put((byte) (answered ? 2 : 0));
    message.putInt(id).put(data).putShort((short) 2);
    send(message.array());
  }

  void send(byte[] datagram) throws IOException {
    socket.send(new DatagramPacket(datagram, datagram.length, server));
  }

  /** The reply to the last request: its op-data as text, after code and flags as digits. */
  String reply() throws IOException {
    socket.setSoTimeout(RawClient.GUARD_MILLIS);
    byte[] message = receive();
    assertThat(ByteBuffer.wrap(message).getInt(8)).isEqualTo(id);
    assertThat(ByteBuffer.wrap(message).getShort(0)).isEqualTo((short) message.length);
    String head = ByteBufUtil.hexDump(message, 6, 2);
    return head + ' ' + new String(message, 12, message.length - 14, ISO_8859_1);
  }

  String ask(int opcode, String url, String... fieldLines) throws IOException {
    send(opcode, true, url, fieldLines);
    return reply();
  }

  /** Waits for a request: opcode and flags as digits, and its op-data as text. */
  String request() throws IOException {
    socket.setSoTimeout(RawClient.GUARD_MILLIS);
    byte[] message = receive();
    String head = ByteBufUtil.hexDump(message, 6, 2);
    return head + ' ' + new String(message, 12, message.length - 14, ISO_8859_1);
  }

  /** Whether a datagram is here; nothing is waited for. */
  boolean hasReply() throws IOException {
    socket.setSoTimeout(1);
    try {
      receive();
      return true;
    } catch (SocketTimeoutException none) {
      return false;
    }
  }

  private byte[] receive() throws IOException {
    DatagramPacket packet = new DatagramPacket(new byte[16_384], 16_384);
    socket.receive(packet);
    byte[] message = new byte[packet.getLength()];
    System.arraycopy(packet.getData(), 0, message, 0, message.length);
    return message;
  }

  @Override
  public void close() {
    socket.close();
  }
}
