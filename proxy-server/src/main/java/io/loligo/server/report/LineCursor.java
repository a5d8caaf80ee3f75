package io.loligo.server.report;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** A position in the bytes of one line. Confined to one thread. */
class LineCursor {
  private static final VarHandle WORDS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final int MOST_DIGITS = 18;
  private static final long ODD = 0x9E37_79B9_7F4A_7C15L;

  byte[] bytes = new byte[0];
  int at;
  int end;

  final void begin(byte[] line, int from, int to) {
    bytes = line;
    at = from;
    end = to;
  }

  final boolean isAt(char character) {
    return at < end && bytes[at] == character;
  }

  /** Passes {@code character}; false: another one follows. */
  final boolean pass(char character) {
    if (isAt(character)) {
      at++;
      return true;
    }
    return false;
  }

  /** Passes decimal digits; -1: none, or too many. */
  final long digits() {
    int start = at;
    long value = 0;
    while (at < end && bytes[at] >= '0' && bytes[at] <= '9') {
      value = value * 10 + bytes[at++] - '0';
      if (at - start > MOST_DIGITS) {
        return -1;
      }
    }
    return at == start ? -1 : value;
  }

  /** Passes the digits behind a decimal point: millionths. */
  final long millionths() {
    long value = 0;
    long unit = 100_000;
    while (at < end && bytes[at] >= '0' && bytes[at] <= '9') {
      value += (bytes[at++] - '0') * unit;
      unit /= 10;
    }
    return value;
  }

  final boolean isText(int from, int to, byte[] text) {
    if (to - from != text.length) {
      return false;
    }
    for (int i = 0; i < text.length; i++) {
      if (bytes[from + i] != text[i]) {
        return false;
      }
    }
    return true;
  }

  /** A hash of bytes; equal bytes have equal hashes, in every log and in every run. */
  final long hash(int from, int to) {
    long hash = (to - from) * ODD;
    int i = from;
    for (; i + Long.BYTES <= to; i += Long.BYTES) {
      hash = mix(hash ^ (long) WORDS.get(bytes, i));
    }
    long rest = 0;
    for (; i < to; i++) {
      rest = (rest << 8) | (bytes[i] & 0xFF);
    }
    return mix(mix(hash ^ rest));
  }

  private static long mix(long value) {
    long mixed = (value ^ value >>> 32) * ODD;
    return mixed ^ mixed >>> 29;
  }
}
