package io.loligo.store.memory;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.HiddenFields;
import io.loligo.core.caching.StoredForm;
import io.loligo.core.caching.StoredMeta;
import io.netty.buffer.ByteBuf;

/**
 * Everything known about a small response except its content, as bytes in the block of the response
 * before its field lines: what the disk needs, the numbers of {@link StoredMeta}, the key and the
 * entity tag. Times beside the time of the response are distances to it. Stateless; the block
 * belongs to the caller.
 *
 * <p>Only the first two numbers and the content type change after the entry was published. Each is
 * written whole, and a reader that sees an old one only does more work.
 */
final class PackedHead {
  /** A response larger than this, field lines included, is not packed. */
  static final int MAX_BYTES = 16 << 10;

  private static final int DISK_ID = 0;
  private static final int JUDGED_AT = 8;
  private static final int RESPONSE_TIME = 16;
  private static final int LAST_MODIFIED = 24;
  private static final int REQUEST_AGO = 32;
  private static final int DATE_AGO = 36;
  private static final int INITIAL_AGE = 40;
  private static final int LIFETIME = 44;
  private static final int WHILE_REVALIDATE = 48;
  private static final int IF_ERROR = 52;
  private static final int FLAGS = 56;
  private static final int CONTENT_LENGTH = 60;
  private static final int FIELDS_LENGTH = 64;
  private static final int HIDDEN_LENGTH = 66;
  private static final int KEY_LENGTH = 68;
  private static final int ETAG_LENGTH = 70;
  private static final int STATUS = 72;
  private static final int CONTENT_TYPE = 74;
  private static final int TEXT = 75;

  private PackedHead() {}

  /** Whether a response of {@code length} bytes, field lines included, is small enough. */
  static boolean fits(int length) {
    return length <= MAX_BYTES;
  }

  /** Length of a head with a key and an entity tag of {@code textBytes} together. */
  static int bytes(int textBytes) {
    return TEXT + textBytes;
  }

  /**
   * Whether a response of {@code length} bytes, field lines included, can be packed: it is small
   * and whole, and its numbers fit.
   */
  static boolean fits(CacheKey key, StoredMeta meta, int fieldsLength, int length) {
    return fits(length)
        && meta.part() == null
        && meta.contentLength() == length - fieldsLength
        && key.length() <= MAX_BYTES
        && etagLength(meta) < MAX_BYTES
        && isInt(meta.responseTimeMillis() - meta.requestTimeMillis())
        && isInt(meta.responseTimeMillis() - meta.dateMillis())
        && isInt(meta.initialAgeSeconds())
        && isInt(meta.lifetimeSeconds())
        && isInt(meta.staleWhileRevalidateSeconds())
        && isInt(meta.staleIfErrorSeconds());
  }

  private static boolean isInt(long number) {
    return number == (int) number;
  }

  private static int etagLength(StoredMeta meta) {
    byte[] etag = meta.etag();
    return etag == null ? 0 : etag.length;
  }

  /** Bytes before the field lines. */
  static int bytes(CacheKey key, StoredMeta meta) {
    return TEXT + key.length() + etagLength(meta);
  }

  /**
   * Writes the head to {@code block} from {@code at} on, both borrowed.
   *
   * @param fields borrowed; the field lines are its first {@code fieldsLength} bytes
   */
  static void write(
      ByteBuf block, int at, CacheKey key, StoredMeta meta, ByteBuf fields, int fieldsLength) {
    byte[] etag = meta.etag();
    long arrived = meta.responseTimeMillis();
    int hidden =
        meta.has(StoredMeta.HIDES_FIELDS) ? HiddenFields.length(fields.slice(0, fieldsLength)) : 0;
    block.setLong(at + DISK_ID, 0);
    block.setLong(at + JUDGED_AT, 0);
    block.setLong(at + RESPONSE_TIME, arrived);
    block.setLong(at + LAST_MODIFIED, meta.lastModifiedMillis());
    block.setInt(at + REQUEST_AGO, (int) (arrived - meta.requestTimeMillis()));
    block.setInt(at + DATE_AGO, (int) (arrived - meta.dateMillis()));
    block.setInt(at + INITIAL_AGE, (int) meta.initialAgeSeconds());
    block.setInt(at + LIFETIME, (int) meta.lifetimeSeconds());
    block.setInt(at + WHILE_REVALIDATE, (int) meta.staleWhileRevalidateSeconds());
    block.setInt(at + IF_ERROR, (int) meta.staleIfErrorSeconds());
    block.setInt(at + FLAGS, meta.flags());
    block.setInt(at + CONTENT_LENGTH, (int) meta.contentLength());
    block.setShort(at + FIELDS_LENGTH, fieldsLength);
    block.setShort(at + HIDDEN_LENGTH, hidden);
    block.setShort(at + KEY_LENGTH, key.length());
    block.setShort(at + ETAG_LENGTH, etag == null ? 0 : etag.length + 1);
    block.setShort(at + STATUS, meta.status());
    block.setByte(at + CONTENT_TYPE, 0);
    StoredForm.setKey(key, block, at + TEXT);
    if (etag != null) {
      block.setBytes(at + TEXT + key.length(), etag);
    }
  }

  /** Number of the object on disk, or 0. */
  static long diskId(ByteBuf block, int at) {
    return block.getLong(at + DISK_ID);
  }

  static void diskId(ByteBuf block, int at, long id) {
    block.setLong(at + DISK_ID, id);
  }

  static long judgedAt(ByteBuf block, int at) {
    return block.getLong(at + JUDGED_AT);
  }

  static void judgedAt(ByteBuf block, int at, long serial) {
    block.setLong(at + JUDGED_AT, serial);
  }

  static long responseTimeMillis(ByteBuf block, int at) {
    return block.getLong(at + RESPONSE_TIME);
  }

  static long lastModifiedMillis(ByteBuf block, int at) {
    return block.getLong(at + LAST_MODIFIED);
  }

  static long requestTimeMillis(ByteBuf block, int at) {
    return responseTimeMillis(block, at) - block.getInt(at + REQUEST_AGO);
  }

  static long dateMillis(ByteBuf block, int at) {
    return responseTimeMillis(block, at) - block.getInt(at + DATE_AGO);
  }

  static int initialAgeSeconds(ByteBuf block, int at) {
    return block.getInt(at + INITIAL_AGE);
  }

  static int lifetimeSeconds(ByteBuf block, int at) {
    return block.getInt(at + LIFETIME);
  }

  static int staleWhileRevalidateSeconds(ByteBuf block, int at) {
    return block.getInt(at + WHILE_REVALIDATE);
  }

  static int staleIfErrorSeconds(ByteBuf block, int at) {
    return block.getInt(at + IF_ERROR);
  }

  static int flags(ByteBuf block, int at) {
    return block.getInt(at + FLAGS);
  }

  static int contentLength(ByteBuf block, int at) {
    return block.getInt(at + CONTENT_LENGTH);
  }

  static int fieldsLength(ByteBuf block, int at) {
    return block.getUnsignedShort(at + FIELDS_LENGTH);
  }

  static int hiddenLength(ByteBuf block, int at) {
    return block.getUnsignedShort(at + HIDDEN_LENGTH);
  }

  static int status(ByteBuf block, int at) {
    return block.getShort(at + STATUS);
  }

  /** Number of the content type among the {@link ContentTypes}, 0 if it is not known yet. */
  static int contentType(ByteBuf block, int at) {
    return block.getUnsignedByte(at + CONTENT_TYPE);
  }

  static void contentType(ByteBuf block, int at, int number) {
    block.setByte(at + CONTENT_TYPE, number);
  }

  static int keyLength(ByteBuf block, int at) {
    return block.getUnsignedShort(at + KEY_LENGTH);
  }

  /** Where the bytes of the key begin. */
  static int keyStart(int at) {
    return at + TEXT;
  }

  static boolean hasEtag(ByteBuf block, int at) {
    return block.getUnsignedShort(at + ETAG_LENGTH) != 0;
  }

  /** Legal if there {@linkplain #hasEtag is one}. */
  static byte[] etag(ByteBuf block, int at) {
    byte[] etag = new byte[block.getUnsignedShort(at + ETAG_LENGTH) - 1];
    block.getBytes(at + TEXT + keyLength(block, at), etag);
    return etag;
  }

  /** Where the field lines begin. */
  static int fieldsStart(ByteBuf block, int at) {
    int etag = block.getUnsignedShort(at + ETAG_LENGTH);
    return at + TEXT + keyLength(block, at) + Math.max(0, etag - 1);
  }
}
