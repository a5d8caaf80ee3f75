package io.loligo.core.http2;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** Fields of decoded blocks as text. Confined to one thread. */
final class Decoded implements HpackDecoder.Sink {
  final List<String> fields = new ArrayList<>();

  @Override
  public void field(
      byte[] name, int nameStart, int nameLength, byte[] value, int valueStart, int valueLength) {
    fields.add(
        new String(name, nameStart, nameLength, ISO_8859_1)
            + ": "
            + new String(value, valueStart, valueLength, ISO_8859_1));
  }

  /** The fields of a block in hexadecimal digits with blanks; null: it is invalid. */
  static List<String> of(HpackDecoder decoder, String hex) {
    byte[] block = HexFormat.of().parseHex(hex.replace(" ", ""));
    Decoded decoded = new Decoded();
    return decoder.decode(block, 0, block.length, decoded) ? decoded.fields : null;
  }

  /** Gives {@code sink} the fields whose names and values follow by turns. */
  static void give(HpackDecoder.Sink sink, String... namesAndValues) {
    for (int i = 0; i < namesAndValues.length; i += 2) {
      byte[] name = namesAndValues[i].getBytes(ISO_8859_1);
      byte[] value = namesAndValues[i + 1].getBytes(ISO_8859_1);
      sink.field(name, 0, name.length, value, 0, value.length);
    }
  }
}
