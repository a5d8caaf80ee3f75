package io.loligo.store.disk.record;

import io.netty.buffer.ByteBuf;
import java.io.IOException;

/**
 * Records of constant size by a key of 128 bits, in memory outside the Java heap. What is in a
 * record is its user's business. Thread-safe: any disk thread.
 */
public interface RecordMap extends AutoCloseable {
  /** Bytes of a record: with its key it fills 512. */
  int RECORD_BYTES = 512 - 16;

  /**
   * Copies a record to {@code into}, borrowed, at its writer index; whether there was one.
   *
   * @throws IOException the map cannot be used any more
   */
  boolean get(long high, long low, ByteBuf into) throws IOException;

  /**
   * Whether there is a record.
   *
   * @throws IOException the map cannot be used any more
   */
  boolean contains(long high, long low) throws IOException;

  /**
   * Writes a record, over the one that was there. Borrows {@code record}, {@link #RECORD_BYTES}
   * bytes from its reader index, which stays. False: there is no room for it.
   *
   * @throws IOException the map cannot be used any more
   */
  boolean put(long high, long low, ByteBuf record) throws IOException;

  /**
   * Removes a record; whether there was one.
   *
   * @throws IOException the map cannot be used any more
   */
  boolean remove(long high, long low) throws IOException;

  /** Records in it. */
  long size();

  /** Gives its memory back. */
  @Override
  void close() throws IOException;
}
