package io.loligo.server.tls;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;

/** The few forms of DER that the wrapping of an old private key needs. Stateless. */
final class Der {
  static final int INTEGER = 0x02;
  static final int OCTETS = 0x04;
  static final int OBJECT = 0x06;
  static final int SEQUENCE = 0x30;

  /** The first element with a tag of its own in a sequence. */
  static final int FIRST_TAGGED = 0xa0;

  private Der() {}

  /** One element: tag, length and {@code parts}. */
  static byte[] element(int tag, byte[]... parts) {
    int length = 0;
    for (byte[] part : parts) {
      length += part.length;
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(tag);
    if (length < 0x80) {
      out.write(length);
    } else {
      int bytes = (39 - Integer.numberOfLeadingZeros(length)) / 8;
      out.write(0x80 | bytes);
      for (int i = bytes - 1; i >= 0; i--) {
        out.write(length >> (8 * i));
      }
    }
    for (byte[] part : parts) {
      out.writeBytes(part);
    }
    return out.toByteArray();
  }

  /**
   * The content of the element at the position of {@code in}, which moves behind it.
   *
   * @throws IllegalArgumentException if it has another tag, or a length that is not there
   */
  static ByteBuffer content(ByteBuffer in, int tag) {
    if (in.remaining() < 2 || (in.get() & 0xff) != tag) {
      throw new IllegalArgumentException("the key is not valid DER");
    }
    int length = in.get() & 0xff;
    if (length >= 0x80) {
      int bytes = length & 0x7f;
      length = 0;
      if (bytes > 3 || bytes > in.remaining()) {
        throw new IllegalArgumentException("the key is not valid DER");
      }
      for (int i = 0; i < bytes; i++) {
        length = length << 8 | (in.get() & 0xff);
      }
    }
    if (length > in.remaining()) {
      throw new IllegalArgumentException("the key is cut off");
    }
    ByteBuffer content = in.slice(in.position(), length);
    in.position(in.position() + length);
    return content;
  }

  /** The rest of {@code in}. */
  static byte[] rest(ByteBuffer in) {
    byte[] bytes = new byte[in.remaining()];
    in.get(bytes);
    return bytes;
  }
}
