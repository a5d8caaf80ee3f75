package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.MulticastSocket;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;

/** A neighbour that speaks ICP, written without the code under test. Confined to one thread. */
final class IcpNeighbour implements AutoCloseable {
  static final int QUERY = 1;
  static final int HIT = 2;
  static final int MISS = 3;
  static final int ERR = 4;
  static final int MISS_NOFETCH = 21;
  static final int DENIED = 22;

  private final DatagramSocket socket;
  private byte[] last = new byte[0];
  private SocketAddress lastSender;

  /** One at {@code address}. */
  IcpNeighbour(String address) throws IOException {
    socket = new DatagramSocket(0, InetAddress.getByName(address));
    socket.setSoTimeout(RawClient.GUARD_MILLIS);
  }

  /** A UDP port of no process. */
  static int freePort() throws IOException {
    return HtcpClient.freePort();
  }

  int port() {
    return socket.getLocalPort();
  }

  /** A message in the format of RFC 2186. */
  static byte[] message(int opcode, int number, String url) {
    int requester = opcode == QUERY ? 4 : 0;
    ByteBuffer out = ByteBuffer.allocate(20 + requester + url.length() + 1);
    out.put((byte) opcode).put((byte) 2).putShort((short) out.capacity()).putInt(number);
    out.position(20 + requester);
    out.put(url.getBytes(ISO_8859_1));
    return out.array();
  }

  void send(byte[] message, int port) throws IOException {
    InetAddress proxy = InetAddress.getByName("127.0.0.1");
    socket.send(new DatagramPacket(message, message.length, proxy, port));
  }

  /** Asks the proxy's {@code port} for {@code url}; the opcode of its reply. */
  int ask(int port, int number, String url) throws IOException {
    send(message(QUERY, number, url), port);
    receive();
    assertThat(ByteBuffer.wrap(last).getInt(4)).isEqualTo(number);
    assertThat(ByteBuffer.wrap(last).getShort(2)).isEqualTo((short) last.length);
    return last[0];
  }

  /** Asks the members of {@code group} on the loopback interface; the opcode of the reply. */
  int askGroup(String group, int port, int number, String url) throws IOException {
    byte[] query = message(QUERY, number, url);
    socket.setOption(StandardSocketOptions.IP_MULTICAST_IF, loopback());
    socket.send(new DatagramPacket(query, query.length, InetAddress.getByName(group), port));
    receive();
    assertThat(ByteBuffer.wrap(last).getInt(4)).isEqualTo(number);
    return last[0];
  }

  /** Whether the system delivers datagrams to {@code group} on the loopback interface. */
  static boolean reachesGroups(String group) {
    try (MulticastSocket member = new MulticastSocket(0);
        DatagramSocket sender = new DatagramSocket(0, InetAddress.getByName("127.0.0.1"))) {
      InetSocketAddress place =
          new InetSocketAddress(InetAddress.getByName(group), member.getLocalPort());
      member.joinGroup(place, loopback());
      member.setSoTimeout(1_000);
      sender.setOption(StandardSocketOptions.IP_MULTICAST_IF, loopback());
      sender.send(new DatagramPacket(new byte[1], 1, place));
      member.receive(new DatagramPacket(new byte[1], 1));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static NetworkInterface loopback() throws IOException {
    return NetworkInterface.getByInetAddress(InetAddress.getByName("127.0.0.1"));
  }

  /** Asks for the round trip to the origin, too: that of the reply, in ms; -1: it tells none. */
  int askDistance(int port, int number, String url) throws IOException {
    byte[] query = message(QUERY, number, url);
    query[8] = 0x40;
    send(query, port);
    receive();
    return (last[8] & 0x40) == 0 ? -1 : ByteBuffer.wrap(last).getInt(12);
  }

  /** The URL of a query, which has to come. */
  String awaitQuery() throws IOException {
    receive();
    assertThat(last[0]).isEqualTo((byte) QUERY);
    return new String(last, 24, last.length - 25, ISO_8859_1);
  }

  /** Bytes of the last message. */
  byte[] last() {
    return last;
  }

  /** The sender of the last message. */
  String sender() {
    return String.valueOf(lastSender);
  }

  /** Replies to the last query. */
  void reply(int opcode) throws IOException {
    reply(opcode, ByteBuffer.wrap(last).getInt(4));
  }

  /** Says to the last query that it lacks the response, and the round trip to the origin. */
  void replyMiss(int distanceMillis) throws IOException {
    int number = ByteBuffer.wrap(last).getInt(4);
    byte[] out = message(MISS, number, new String(last, 24, last.length - 25, ISO_8859_1));
    out[8] = 0x40;
    ByteBuffer.wrap(out).putInt(12, distanceMillis);
    socket.send(new DatagramPacket(out, out.length, lastSender));
  }

  /** The same with another number. */
  void reply(int opcode, int number) throws IOException {
    byte[] out = message(opcode, number, new String(last, 24, last.length - 25, ISO_8859_1));
    socket.send(new DatagramPacket(out, out.length, lastSender));
  }

  /** Whether a datagram is here; nothing is waited for. */
  boolean hasDatagram() throws IOException {
    socket.setSoTimeout(1);
    try {
      receive();
      return true;
    } catch (SocketTimeoutException none) {
      return false;
    } finally {
      socket.setSoTimeout(RawClient.GUARD_MILLIS);
    }
  }

  private void receive() throws IOException {
    DatagramPacket packet = new DatagramPacket(new byte[16_384], 16_384);
    socket.receive(packet);
    last = new byte[packet.getLength()];
    System.arraycopy(packet.getData(), 0, last, 0, last.length);
    lastSender = packet.getSocketAddress();
  }

  @Override
  public void close() {
    socket.close();
  }
}
