package io.loligo.cluster.limits;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The requests that a node let pass, for one limit. Immutable.
 *
 * <p>Its form, numbers with the highest byte first: the version {@value #VERSION} (1 byte), the
 * limit (8), and for each name, in ascending order, its hash (8) and its requests (2, from 1).
 *
 * @param limit {@link SharedLimit#id}
 * @param names 1 to {@value HeaviestNames#MOST}, ascending; counts up to {@value #MAX_COUNT}
 */
record CountsMessage(long limit, List<NameCount> names) {
  /** Of this form. A message of another version is dropped. */
  static final byte VERSION = 1;

  /** The largest count of a message. The rest is told in the next second. */
  static final int MAX_COUNT = 0xffff;

  private static final int HEAD_BYTES = 1 + Long.BYTES;
  private static final int NAME_BYTES = Long.BYTES + Short.BYTES;

  byte[] encode() {
    ByteBuffer out = ByteBuffer.allocate(HEAD_BYTES + names.size() * NAME_BYTES);
    out.put(VERSION).putLong(limit);
    for (NameCount name : names) {
      out.putLong(name.name()).putShort((short) name.count());
    }
    return out.array();
  }

  /** Reads a message; null: it is none of this version, or it breaks a limit. */
  static @Nullable CountsMessage decode(byte[] message) {
    int bytes = message.length - HEAD_BYTES;
    int size = bytes / NAME_BYTES;
    if (size < 1 || size > HeaviestNames.MOST || bytes % NAME_BYTES != 0 || message[0] != VERSION) {
      return null;
    }
    ByteBuffer in = ByteBuffer.wrap(message).position(1);
    long limit = in.getLong();
    List<NameCount> names = new ArrayList<>(size);
    long last = 0;
    for (int i = 0; i < size; i++) {
      long name = in.getLong();
      int count = Short.toUnsignedInt(in.getShort());
      if (count == 0 || (i > 0 && name <= last)) {
        return null;
      }
      names.add(new NameCount(name, count));
      last = name;
    }
    return new CountsMessage(limit, names);
  }
}
