package io.loligo.server.report;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Stream;

/** The stages of a request by their names in logs. A duration is in microseconds. */
enum LoggedStage {
  CLIENT_CONNECT("clientConnect"),
  ACL("acl"),
  LOGIN("login"),
  HELPER("helper"),
  ADAPTATION("adaptation"),
  REQUEST_CONTENT("requestContent"),
  LOOKUP("lookup"),
  DISK_QUEUE("diskQueue"),
  DISK_FIRST_READ("diskFirstRead"),
  DISK_REST("diskRest"),
  DISK_WRITE_QUEUE("diskWriteQueue"),
  DISK_WRITE("diskWrite"),
  JOIN("join"),
  DNS("dns"),
  PROXY_CONNECT("proxyConnect"),
  ATTEMPTS("attempts"),
  /** From the request sent to the first byte of the response. */
  SERVER_FIRST_BYTE("serverFirstByte"),
  /** From the request sent to the last byte of the response. */
  SERVER_LAST_BYTE("serverLastByte"),
  PROXY_REPLY("proxyReply");

  /** How many there are. */
  static final int COUNT = values().length;

  private static final byte[][] NAMES =
      Stream.of(values())
          .map(stage -> stage.text.getBytes(StandardCharsets.US_ASCII))
          .toArray(byte[][]::new);

  private final String text;

  LoggedStage(String text) {
    this.text = text;
  }

  /** The name in logs. */
  String text() {
    return text;
  }

  /**
   * The ordinal of the stage with this name; -1: none.
   *
   * @param hint the ordinal that is tried first: logs have the stages in order
   */
  static int find(byte[] bytes, int from, int to, int hint) {
    for (int i = 0; i < COUNT; i++) {
      int at = (hint + i) % COUNT;
      byte[] name = NAMES[at];
      if (name.length == to - from && Arrays.equals(name, 0, name.length, bytes, from, to)) {
        return at;
      }
    }
    return -1;
  }
}
