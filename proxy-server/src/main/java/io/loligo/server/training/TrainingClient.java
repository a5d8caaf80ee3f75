package io.loligo.server.training;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Random;

/**
 * A client of a port, with some requests on each connection: hits in memory and on disk, misses of
 * all kinds, validation, ranges, HEAD, POST, pipelining, and tunnels of a forward port. Confined to
 * its thread.
 */
final class TrainingClient {
  /** A pipelined pair counts as one. */
  static final int REQUESTS_PER_CONNECTION = 13;

  /**
   * A guard: a proxy that ends closes its connections, and a cold one on a busy machine may take
   * many seconds for the first response to each client.
   */
  static final int PATIENCE_MILLIS = 60_000;

  private static final int RECENT = 25;
  private static final int VALIDATED_OBJECTS = 50;

  /** Objects of one client have numbers below those of the next. */
  private static final int OBJECTS_PER_CLIENT = 1 << 20;

  private final int proxyPort;
  private final String origin;
  private final boolean accel;
  private final int firstObject;
  private final Random random;
  private int objects;

  /** {@code accel}: the port stands for the origin, instead of being a forward port. */
  TrainingClient(int number, int proxyPort, int originPort, boolean accel) {
    this.proxyPort = proxyPort;
    this.accel = accel;
    origin = "127.0.0.1:" + originPort;
    firstObject = number * OBJECTS_PER_CLIENT;
    random = new Random(number);
  }

  /** One connection and its requests. */
  void connection() throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), proxyPort)) {
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(PATIENCE_MILLIS);
      MessageInput in = new MessageInput(socket.getInputStream());
      OutputStream out = socket.getOutputStream();
      String target = accel ? "" : "http://" + origin;
      if (!accel && random.nextInt(20) == 0) {
        out.write(Message.bytes("CONNECT " + origin + " HTTP/1.1\r\nHost: " + origin + "\r\n\r\n"));
        Message.response(in, true);
        target = "";
      }
      for (int i = 0; i < REQUESTS_PER_CONNECTION; i++) {
        exchange(target, in, out);
      }
    }
  }

  private void exchange(String target, MessageInput in, OutputStream out) throws IOException {
    int kind = random.nextInt(100);
    if (kind < 42) {
      get(target + TrainingOrigin.FRESH + (firstObject + objects++), "", in, out);
    } else if (kind < 70) {
      get(target + recent(), "", in, out);
    } else if (kind < 87) {
      get(target + old(), "", in, out);
    } else if (kind < 92) {
      int number = firstObject + random.nextInt(VALIDATED_OBJECTS);
      get(target + TrainingOrigin.VALIDATED + number, "", in, out);
    } else if (kind < 95) {
      String path = recent();
      String tag = path.substring(path.lastIndexOf('/') + 1);
      get(target + path, "If-None-Match: \"" + tag + "\"\r\n", in, out);
    } else if (kind == 95) {
      get(target + old(), "Range: bytes=100-299\r\n", in, out);
    } else if (kind == 96) {
      out.write(Message.bytes(request("HEAD", target + recent(), "")));
      Message.response(in, true);
    } else if (kind == 97) {
      String post = request("POST", target + TrainingOrigin.PRIVATE + "1", "Content-Length: 4\r\n");
      out.write(Message.bytes(post + "a=bc"));
      Message.response(in, false);
    } else if (kind == 98) {
      get(target + TrainingOrigin.PRIVATE + random.nextInt(RECENT), "", in, out);
    } else {
      String two = request("GET", target + recent(), "") + request("GET", target + recent(), "");
      out.write(Message.bytes(two));
      Message.response(in, false);
      Message.response(in, false);
    }
  }

  private void get(String url, String fields, MessageInput in, OutputStream out)
      throws IOException {
    out.write(Message.bytes(request("GET", url, fields)));
    Message.response(in, false);
  }

  private String request(String method, String url, String fields) {
    return method
        + " "
        + url
        + " HTTP/1.1\r\nHost: "
        + origin
        + "\r\nUser-Agent: training\r\nAccept: */*\r\nAccept-Encoding: gzip, deflate\r\n"
        + fields
        + "\r\n";
  }

  /** Of the objects requested last. */
  private String recent() {
    int number = Math.max(0, objects - 1 - random.nextInt(RECENT));
    return TrainingOrigin.FRESH + (firstObject + number);
  }

  /** Of all objects requested. */
  private String old() {
    return TrainingOrigin.FRESH + (firstObject + random.nextInt(Math.max(1, objects)));
  }
}
