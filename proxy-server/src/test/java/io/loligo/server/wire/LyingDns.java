package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A nameserver on loopback whose answers a test composes (RFC 1035 section 4). */
final class LyingDns implements AutoCloseable {
  static final int A = 1;
  static final int CNAME = 5;
  static final int PTR = 12;
  static final int AAAA = 28;

  private final DatagramSocket socket;
  private final DatagramSocket stranger;
  private final Map<String, Liar> liars = new ConcurrentHashMap<>();
  private final List<String> asked = new CopyOnWriteArrayList<>();
  private final Map<String, CountDownLatch> silent = new ConcurrentHashMap<>();
  private final List<Throwable> troubles = new CopyOnWriteArrayList<>();

  /** The answer to one question. Runs on the server's thread. */
  interface Liar {
    void answer(Question question) throws IOException;
  }

  LyingDns() throws IOException {
    socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());
    stranger = new DatagramSocket(0, InetAddress.getLoopbackAddress());
    Thread thread = new Thread(this::serve, "lying-dns");
    thread.setDaemon(true);
    thread.start();
  }

  String address() {
    return "127.0.0.1:" + socket.getLocalPort();
  }

  /** The answers for {@code name}. */
  LyingDns on(String name, Liar liar) {
    liars.put(name, liar);
    return this;
  }

  /** Never answers for {@code name}; see {@link #awaitUnanswered}. */
  LyingDns silent(String name) {
    CountDownLatch asked = new CountDownLatch(1);
    silent.put(name, asked);
    return on(name, question -> asked.countDown());
  }

  /** Waits for the first question for {@code name}, which is silent. */
  void awaitUnanswered(String name) throws InterruptedException {
    if (!silent.get(name).await(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS)) {
      throw new AssertionError("nothing was asked");
    }
  }

  /** Names that were asked for so far. */
  List<String> asked() {
    return List.copyOf(asked);
  }

  private void serve() {
    byte[] buffer = new byte[1500];
    try {
      while (true) {
        DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
        socket.receive(packet);
        Question question = new Question(packet);
        asked.add(question.name);
        liars.getOrDefault(question.name, q -> q.send(q.message(0, 3))).answer(question);
      }
    } catch (SocketException closed) {
      // the end of the test
      socket.disconnect();
    } catch (IOException | RuntimeException e) {
      troubles.add(e);
    }
  }

  @Override
  public void close() {
    socket.close();
    stranger.close();
    if (!troubles.isEmpty()) {
      throw new AssertionError("the nameserver failed", troubles.get(0));
    }
  }

  /** A record of an answer. */
  record Entry(String name, int type, byte[] data) {
    static Entry a(String name, int... bytes) {
      return new Entry(name, bytes.length == 16 ? AAAA : A, bytes(bytes));
    }
  }

  private static byte[] bytes(int... values) {
    byte[] bytes = new byte[values.length];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) values[i];
    }
    return bytes;
  }

  /** One question, and how it can be answered. */
  final class Question {
    final String name;
    final int type;
    final int id;
    private final DatagramPacket packet;
    private final byte[] bytes;

    private Question(DatagramPacket packet) {
      this.packet = packet;
      this.bytes = Arrays.copyOf(packet.getData(), packet.getLength());
      List<String> labels = new ArrayList<>();
      int at = 12;
      while (bytes[at] != 0) {
        labels.add(new String(bytes, at + 1, bytes[at], US_ASCII));
        at += bytes[at] + 1;
      }
      name = String.join(".", labels);
      type = bytes[at + 2];
      id = (bytes[0] & 0xff) << 8 | (bytes[1] & 0xff);
    }

    /** An answer of the question's type with these records; others are left out. */
    byte[] message(int idOffset, int code, Entry... entries) {
      return message(idOffset, code, name, entries);
    }

    byte[] message(int idOffset, int code, String asked, Entry... entries) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      List<Entry> fitting = new ArrayList<>();
      for (Entry entry : entries) {
        if (entry.type() == type || entry.type() == CNAME) {
          fitting.add(entry);
        }
      }
      shorts(out, id + idOffset, 0x8180 | code, 1, fitting.size(), 0, 0);
      name(out, asked);
      shorts(out, type, 1);
      for (Entry entry : fitting) {
        name(out, entry.name());
        shorts(out, entry.type(), 1, 0, 0, entry.data().length);
        out.writeBytes(entry.data());
      }
      return out.toByteArray();
    }

    void send(byte[] message) throws IOException {
      socket.send(new DatagramPacket(message, message.length, packet.getSocketAddress()));
    }

    /** Sends from another port than the one that was asked. */
    void sendFromElsewhere(byte[] message) throws IOException {
      stranger.send(new DatagramPacket(message, message.length, packet.getSocketAddress()));
    }
  }

  static byte[] nameBytes(String name) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    name(out, name);
    return out.toByteArray();
  }

  private static void name(ByteArrayOutputStream out, String name) {
    for (String label : name.split("\\.", -1)) {
      out.write(label.length());
      out.writeBytes(label.getBytes(US_ASCII));
    }
    out.write(0);
  }

  private static void shorts(ByteArrayOutputStream out, int... values) {
    for (int value : values) {
      out.write(value >> 8);
      out.write(value);
    }
  }
}
