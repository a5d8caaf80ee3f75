package io.loligo.server.cluster;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.loligo.core.caching.CacheGroups;
import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.StoredForm;
import io.loligo.store.purge.Purge;
import io.loligo.store.purge.UrlPattern;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A purge as nodes send it to each other. Stateless.
 *
 * <p>Its form, numbers with the highest byte first: version (1 byte, {@value #VERSION}), kind (1
 * byte), soft (1 byte, 0 or 1), then by kind
 *
 * <ul>
 *   <li>{@value #URL}: the key, to the end;
 *   <li>{@value #GROUPS}: numbers of groups (8 bytes each), to the end, at least one, none 0. They
 *       are the same on all nodes;
 *   <li>{@value #PATTERN}: bytes of the host (2 bytes), the host, and the expression to the end, in
 *       UTF-8;
 *   <li>{@value #EVERYTHING}: nothing.
 * </ul>
 */
final class PurgeEntry {
  /** Bytes at most. */
  static final int MAX_BYTES = 60_000;

  static final byte VERSION = 1;
  static final byte URL = 1;
  static final byte GROUPS = 2;
  static final byte PATTERN = 3;
  static final byte EVERYTHING = 4;

  private static final int HEAD_BYTES = 3;

  /** Groups of one entry; more are several entries. */
  private static final int MAX_GROUPS = (MAX_BYTES - HEAD_BYTES) / Long.BYTES;

  private PurgeEntry() {}

  /** The entries for {@code what}, to be carried out in this order. */
  static List<byte[]> of(Purge what) {
    if (what instanceof Purge.Url url) {
      return List.of(ofUrl(url.key(), url.soft()));
    }
    if (what instanceof Purge.Groups groups) {
      return ofGroups(groups.numbers(), groups.soft());
    }
    if (what instanceof Purge.Matching matching) {
      return List.of(ofPattern(matching));
    }
    return List.of(begin(EVERYTHING, false, 0));
  }

  private static byte[] ofPattern(Purge.Matching matching) {
    byte[] host = matching.pattern().host().getBytes(UTF_8);
    byte[] regex = matching.pattern().regex().getBytes(UTF_8);
    byte[] entry = begin(PATTERN, matching.soft(), Short.BYTES + host.length + regex.length);
    rest(entry).putShort((short) host.length).put(host).put(regex);
    return entry;
  }

  /** A key that is too long for an entry becomes a purge of everything. */
  static byte[] ofUrl(CacheKey key, boolean soft) {
    byte[] text = key.toString().getBytes(ISO_8859_1);
    if (text.length > MAX_BYTES - HEAD_BYTES) {
      return begin(EVERYTHING, false, 0);
    }
    byte[] entry = begin(URL, soft, text.length);
    rest(entry).put(text);
    return entry;
  }

  /** As many as are needed. */
  static List<byte[]> ofGroups(long[] numbers, boolean soft) {
    List<byte[]> entries = new ArrayList<>();
    for (int from = 0; from < numbers.length; from += MAX_GROUPS) {
      int count = Math.min(MAX_GROUPS, numbers.length - from);
      byte[] entry = begin(GROUPS, soft, count * Long.BYTES);
      rest(entry).asLongBuffer().put(numbers, from, count);
      entries.add(entry);
    }
    return entries;
  }

  private static byte[] begin(byte kind, boolean soft, int bytes) {
    byte[] entry = new byte[HEAD_BYTES + bytes];
    entry[0] = VERSION;
    entry[1] = kind;
    entry[2] = (byte) (soft ? 1 : 0);
    return entry;
  }

  private static ByteBuffer rest(byte[] entry) {
    return ByteBuffer.wrap(entry, HEAD_BYTES, entry.length - HEAD_BYTES);
  }

  /** The purge of {@code entry}; null: this version does not understand it. */
  static @Nullable Purge read(byte[] entry) {
    if (entry.length < HEAD_BYTES
        || entry.length > MAX_BYTES
        || entry[0] != VERSION
        || entry[2] < 0
        || entry[2] > 1) {
      return null;
    }
    boolean soft = entry[2] == 1;
    ByteBuffer rest = rest(entry);
    return switch (entry[1]) {
      case URL -> url(rest, soft);
      case GROUPS -> groups(rest, soft);
      case PATTERN -> pattern(rest, soft);
      case EVERYTHING -> soft || rest.hasRemaining() ? null : new Purge.Everything();
      default -> null;
    };
  }

  private static @Nullable Purge url(ByteBuffer rest, boolean soft) {
    byte[] text = new byte[rest.remaining()];
    rest.get(text);
    String key = new String(text, ISO_8859_1);
    int authority = key.indexOf("://") + 3;
    return authority > 3 && key.indexOf('/', authority) >= 0
        ? new Purge.Url(StoredForm.readKey(Unpooled.wrappedBuffer(text), 0, text.length), soft)
        : null;
  }

  private static @Nullable Purge groups(ByteBuffer rest, boolean soft) {
    if (!rest.hasRemaining() || rest.remaining() % Long.BYTES != 0) {
      return null;
    }
    long[] numbers = new long[rest.remaining() / Long.BYTES];
    rest.asLongBuffer().get(numbers);
    for (long number : numbers) {
      if (number == CacheGroups.ALL) {
        return null;
      }
    }
    return new Purge.Groups(numbers, soft);
  }

  private static @Nullable Purge pattern(ByteBuffer rest, boolean soft) {
    if (rest.remaining() < Short.BYTES) {
      return null;
    }
    int length = rest.getShort();
    if (length < 0 || length > rest.remaining()) {
      return null;
    }
    byte[] host = new byte[length];
    rest.get(host);
    byte[] regex = new byte[rest.remaining()];
    rest.get(regex);
    try {
      return new Purge.Matching(
          UrlPattern.of(new String(host, UTF_8), new String(regex, UTF_8)), soft);
    } catch (IllegalArgumentException invalid) {
      return null;
    }
  }
}
