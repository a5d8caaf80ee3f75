package io.loligo.server.report;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The result codes that a log has, numbered in the order of their first appearance. At most {@value
 * #MOST} are kept apart. Confined to the reading thread until the end of the log.
 */
final class ResultCodes {
  /** Codes that are kept apart; number 0 stands for all others. */
  static final int MOST = 64;

  private static final int LONGEST = 48;

  private final List<byte[]> names = new ArrayList<>();
  private final List<AccessKind> kinds = new ArrayList<>();

  ResultCodes() {
    names.add("other codes".getBytes(StandardCharsets.US_ASCII));
    kinds.add(AccessKind.OTHER);
  }

  /** Sets result and kind of {@code access}; false: this is no result code. */
  boolean classify(byte[] bytes, int from, int to, LoggedAccess access) {
    for (int i = 1; i < names.size(); i++) {
      byte[] name = names.get(i);
      if (Arrays.equals(name, 0, name.length, bytes, from, to)) {
        access.result = i;
        access.kind = kinds.get(i);
        return true;
      }
    }
    if (to == from || to - from > LONGEST) {
      return false;
    }
    for (int i = from; i < to; i++) {
      byte one = bytes[i];
      if (!(one >= 'A' && one <= 'Z') && !(one >= '0' && one <= '9') && one != '_') {
        return false;
      }
    }
    byte[] name = Arrays.copyOfRange(bytes, from, to);
    access.kind = AccessKind.of(new String(name, StandardCharsets.US_ASCII));
    access.result = 0;
    if (names.size() < MOST) {
      access.result = names.size();
      names.add(name);
      kinds.add(access.kind);
    }
    return true;
  }

  int size() {
    return names.size();
  }

  String name(int number) {
    return new String(names.get(number), StandardCharsets.US_ASCII);
  }

  AccessKind kind(int number) {
    return kinds.get(number);
  }
}
