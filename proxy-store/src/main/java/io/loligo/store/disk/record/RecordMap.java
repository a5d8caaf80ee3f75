package io.loligo.store.disk.record;

import io.netty.buffer.ByteBuf;
import java.io.IOException;

/**
 * Records of constant size by a key of 128 bits, in memory outside the Java heap. The user defines
 * the content of a record. Thread-safe: any disk thread.
 */
public interface RecordMap extends AutoCloseable {
  /** Bytes of a record: with its key it fills 512. */
  int RECORD_BYTES = 512 - 16;

  /**
   * Copies a record to {@code into}, borrowed, at its writer index; returns whether there was one.
   *
   * @throws IOException the map is no longer usable
   */
  boolean get(long high, long low, ByteBuf into) throws IOException;

  /**
   * Whether there is a record.
   *
   * @throws IOException the map is no longer usable
   */
  boolean contains(long high, long low) throws IOException;

  /**
   * Writes a record, over the present one. Borrows {@code record}, {@link #RECORD_BYTES} bytes from
   * its reader index, which stays. False: there is no room for it.
   *
   * @throws IOException the map is no longer usable
   */
  boolean put(long high, long low, ByteBuf record) throws IOException;

  /**
   * Removes a record; returns whether there was one.
   *
   * @throws IOException the map is no longer usable
   */
  boolean remove(long high, long low) throws IOException;

  /** Records in it. */
  long size();

  /** Frees its memory. */
  @Override
  void close() throws IOException;
}
