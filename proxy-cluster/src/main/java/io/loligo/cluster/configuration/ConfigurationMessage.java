package io.loligo.cluster.configuration;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a node. Immutable.
 *
 * <p>Its form, numbers with the highest byte first: the version {@value #VERSION} (1 byte), the
 * seconds since its last change (4), the number of parts (2), and for each part, in the order of
 * their names, the length of its name (1), the name and its hash (8).
 *
 * @param ageSeconds from 0; no time of day, since clocks differ
 */
record ConfigurationMessage(int ageSeconds, Configuration configuration) {
  /** Of this form. A message of another version is dropped. */
  static final byte VERSION = 1;

  private static final int HEAD_BYTES = 1 + Integer.BYTES + Short.BYTES;

  byte[] encode() {
    List<Configuration.Part> parts = configuration.parts();
    int bytes = HEAD_BYTES;
    for (Configuration.Part part : parts) {
      bytes += 1 + part.name().length() + Long.BYTES;
    }
    ByteBuffer out = ByteBuffer.allocate(bytes).put(VERSION).putInt(ageSeconds);
    out.putShort((short) parts.size());
    for (Configuration.Part part : parts) {
      out.put((byte) part.name().length());
      out.put(part.name().getBytes(StandardCharsets.ISO_8859_1)).putLong(part.hash());
    }
    return out.array();
  }

  /** Reads a message; null: it is none of this version, or it breaks a limit. */
  static @Nullable ConfigurationMessage decode(byte[] message) {
    if (message.length < HEAD_BYTES || message[0] != VERSION) {
      return null;
    }
    ByteBuffer in = ByteBuffer.wrap(message).position(1);
    int age = in.getInt();
    int size = Short.toUnsignedInt(in.getShort());
    if (age < 0 || size > Configuration.MOST) {
      return null;
    }
    List<Configuration.Part> parts = new ArrayList<>(size);
    String last = "";
    for (int i = 0; i < size; i++) {
      String name = name(in);
      if (name == null || name.compareTo(last) <= 0) {
        return null;
      }
      parts.add(new Configuration.Part(name, in.getLong()));
      last = name;
    }
    return in.hasRemaining() ? null : new ConfigurationMessage(age, Configuration.of(parts));
  }

  /** Null: it breaks a limit, or no hash follows. */
  private static @Nullable String name(ByteBuffer in) {
    int length = in.hasRemaining() ? Byte.toUnsignedInt(in.get()) : 0;
    if (length < 1 || length > Configuration.MOST_NAME || in.remaining() < length + Long.BYTES) {
      return null;
    }
    byte[] bytes = new byte[length];
    in.get(bytes);
    for (byte letter : bytes) {
      if ((letter < 'a' || letter > 'z') && (letter < '0' || letter > '9') && letter != '_') {
        return null; // it goes into logs and pages
      }
    }
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }
}
