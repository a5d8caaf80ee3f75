package io.loligo.server.helper;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;

/** The lines of Squid's helper protocol, with and without channels. */
final class HelperLines {
  private HelperLines() {}

  /** The bytes of one line: a control byte could begin another one, or end the text. */
  static byte[] oneLine(byte[] question) {
    boolean plain = true;
    for (byte value : question) {
      plain &= !isControl(value);
    }
    if (plain) {
      return question;
    }
    ByteArrayOutputStream line = new ByteArrayOutputStream(question.length + 16);
    for (byte value : question) {
      if (isControl(value)) {
        line.writeBytes(String.format("%%%02X", value).getBytes(ISO_8859_1));
      } else {
        line.write(value);
      }
    }
    return line.toByteArray();
  }

  private static boolean isControl(byte value) {
    return (value >= 0 && value < 0x20) || value == 0x7f;
  }

  /** What a child reads: {@code channel}, or nothing if that is negative, the line, and its end. */
  static byte[] sent(long channel, byte[] question) {
    byte[] before = (channel < 0 ? "" : channel + " ").getBytes(ISO_8859_1);
    byte[] line = new byte[before.length + question.length + 1];
    System.arraycopy(before, 0, line, 0, before.length);
    System.arraycopy(question, 0, line, before.length, question.length);
    line[line.length - 1] = '\n';
    return line;
  }

  /** The place of the blank, or the end, after the digits of a channel; 0: there is no channel. */
  static int endOfChannel(byte[] line) {
    int at = 0;
    while (at < line.length && at < 18 && line[at] >= '0' && line[at] <= '9') {
      at++;
    }
    return at == line.length || line[at] == ' ' ? at : 0;
  }

  /** The channel that ends at {@code end}. */
  static long channel(byte[] line, int end) {
    return Long.parseLong(new String(line, 0, end, ISO_8859_1));
  }
}
