package io.loligo.core.caching;

import io.netty.buffer.ByteBuf;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * {@link CacheKey} and {@link StoredMeta} as stored bytes: see {@code docs/disk-format.md}. Numbers
 * are variable in length, 7 bits in a byte, low ones first; signed ones are zigzag coded. The bytes
 * were verified before they are read: garbage gives an {@link IllegalArgumentException} or {@link
 * IndexOutOfBoundsException}, never more. Stateless.
 *
 * <p>A meta ends where its bytes end. A reader ignores bytes after the components that it knows. A
 * later version appends its components, and treats them as absent if the bytes end before them. So
 * each version reads the responses of the other one.
 */
public final class StoredForm {
  private static final int MAX_SHIFT = 63;
  private static final int MAX_NUMBER_BYTES = 10;

  /** Numbers in a meta, lengths included. */
  private static final int NUMBERS = 16;

  private StoredForm() {}

  /** The bytes of the key, without a length. Borrows {@code out}. */
  public static void writeKey(CacheKey key, ByteBuf out) {
    out.writeBytes(key.text(), 0, key.length());
  }

  /** The same at {@code index} of {@code out}, borrowed. */
  public static void setKey(CacheKey key, ByteBuf out, int index) {
    out.setBytes(index, key.text(), 0, key.length());
  }

  /** Whether the {@code length} bytes of {@code in} at {@code index} are {@code key}. */
  public static boolean isKey(CacheKey key, ByteBuf in, int index, int length) {
    if (key.length() != length) {
      return false;
    }
    byte[] text = key.text();
    for (int i = 0; i < length; i++) {
      if (in.getByte(index + i) != text[i]) {
        return false;
      }
    }
    return true;
  }

  /** The key of {@code length} bytes at {@code index} of {@code in}. */
  public static CacheKey readKey(ByteBuf in, int index, int length) {
    byte[] text = new byte[length];
    in.getBytes(index, text);
    return new KeyProbe().append(text, 0, length).seal().toKey();
  }

  /** The same, whose hash is known. */
  public static CacheKey readKey(ByteBuf in, int index, int length, HashedKey hash) {
    byte[] text = new byte[length];
    in.getBytes(index, text);
    return new CacheKey(text, hash.high(), hash.low());
  }

  /**
   * Whether the key of {@code length} bytes at {@code index} of {@code in}, of which the first
   * {@code there} are present, {@linkplain CacheKey#isAlternative is not that of a URL}; true if
   * they do not tell.
   */
  public static boolean mayBeAlternative(ByteBuf in, int index, int there, int length) {
    int blank = length - ContentDigest.DIGITS - 1;
    return blank > 0 && (blank >= there || in.getByte(index + blank) == ' ');
  }

  /** {@link CacheKey#pathHash} of the same key; empty if the present bytes do not tell. */
  public static OptionalInt pathHash(ByteBuf in, int index, int there, int length) {
    byte[] text = new byte[there];
    in.getBytes(index, text);
    boolean tells = there == length || KeyHash.pathEnd(text, there) < there;
    return tells ? OptionalInt.of(KeyHash.ofPath(text, there)) : OptionalInt.empty();
  }

  /** Appends {@code meta} to {@code out}, borrowed. */
  public static void writeMeta(StoredMeta meta, ByteBuf out) {
    number(out, meta.status());
    number(out, meta.flags());
    signed(out, meta.responseTimeMillis());
    signed(out, meta.responseTimeMillis() - meta.requestTimeMillis());
    signed(out, meta.responseTimeMillis() - meta.dateMillis());
    boolean modified = meta.lastModifiedMillis() != StoredMeta.NO_TIME;
    out.writeByte(modified ? 1 : 0);
    if (modified) {
      signed(out, meta.lastModifiedMillis());
    }
    signed(out, meta.initialAgeSeconds());
    signed(out, meta.lifetimeSeconds());
    signed(out, meta.staleWhileRevalidateSeconds());
    signed(out, meta.staleIfErrorSeconds());
    signed(out, meta.contentLength());
    bytes(out, meta.etag());
    if (meta.vary() == null) {
      number(out, 0);
    } else {
      meta.vary().write(out);
    }
    ContentPart part = meta.part();
    number(out, part == null ? 0 : part.first() + 1);
    if (part != null) {
      number(out, part.length());
    }
  }

  /** Bytes that {@code meta} takes at most. */
  public static int metaBytes(StoredMeta meta) {
    int etag = meta.etag() == null ? 0 : meta.etag().length;
    int vary =
        meta.vary() == null
            ? 0
            : meta.vary().weightBytes() + 2 * MAX_NUMBER_BYTES * meta.vary().names().size();
    return NUMBERS * MAX_NUMBER_BYTES + etag + vary;
  }

  /** Reads the bytes of {@link #writeMeta} from the reader index of {@code in}, which advances. */
  public static StoredMeta readMeta(ByteBuf in) {
    int status = (int) number(in);
    int flags = (int) number(in);
    long response = signed(in);
    long request = response - signed(in);
    long date = response - signed(in);
    long modified = in.readByte() == 0 ? StoredMeta.NO_TIME : signed(in);
    long age = signed(in);
    long lifetime = signed(in);
    long whileRevalidate = signed(in);
    long ifError = signed(in);
    long length = signed(in);
    byte[] etag = bytes(in);
    VarySelection vary = VarySelection.read(in);
    long first = number(in) - 1;
    ContentPart part = first < 0 ? null : new ContentPart(first, first + number(in));
    return StoredMeta.builder(status)
        .requestTimeMillis(request)
        .responseTimeMillis(response)
        .dateMillis(date)
        .lastModifiedMillis(modified)
        .initialAgeSeconds(age)
        .lifetimeSeconds(lifetime)
        .staleWhileRevalidateSeconds(whileRevalidate)
        .staleIfErrorSeconds(ifError)
        .flags(flags)
        .etag(etag)
        .vary(vary)
        .contentLength(length)
        .part(part)
        .build();
  }

  /** Bytes after their length; null differs from empty. */
  static void bytes(ByteBuf out, byte @Nullable [] bytes) {
    number(out, bytes == null ? 0 : bytes.length + 1L);
    if (bytes != null) {
      out.writeBytes(bytes);
    }
  }

  static byte @Nullable [] bytes(ByteBuf in) {
    int length = (int) number(in) - 1;
    if (length < 0) {
      return null;
    }
    if (length > in.readableBytes()) {
      throw new IllegalArgumentException(
          "length: " + length + " (expected: <= " + in.readableBytes() + ")");
    }
    byte[] bytes = new byte[length];
    in.readBytes(bytes);
    return bytes;
  }

  private static void signed(ByteBuf out, long value) {
    number(out, (value << 1) ^ (value >> 63));
  }

  private static long signed(ByteBuf in) {
    long value = number(in);
    return (value >>> 1) ^ -(value & 1);
  }

  static void number(ByteBuf out, long value) {
    long left = value;
    while ((left & ~0x7FL) != 0) {
      out.writeByte((int) ((left & 0x7F) | 0x80));
      left >>>= 7;
    }
    out.writeByte((int) left);
  }

  static long number(ByteBuf in) {
    long value = 0;
    for (int shift = 0; shift <= MAX_SHIFT; shift += 7) {
      byte b = in.readByte();
      value |= (b & 0x7FL) << shift;
      if (b >= 0) {
        return value;
      }
    }
    throw new IllegalArgumentException("a number of more than 64 bits");
  }
}
