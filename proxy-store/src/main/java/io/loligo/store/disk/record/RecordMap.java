package io.loligo.store.disk.record;

import io.netty.buffer.ByteBuf;
import java.io.IOException;

/**
 * Records of constant size by a key of 128 bits, in a file of constant size. What is in a record is
 * its user's business; so is its checksum: nothing is verified here. Thread-safe: any disk thread;
 * never an event loop, for a page of the file may have to be read.
 */
public interface RecordMap extends AutoCloseable {
  /** Octets of a record: with its key it fills 512. */
  int RECORD_BYTES = 512 - 16;

  /** Told of records one after the other. */
  interface Visitor {
    /** Borrows {@code record}, {@link #RECORD_BYTES} readable octets that change after the call. */
    void visit(long high, long low, ByteBuf record);
  }

  /**
   * Copies a record to {@code into}, borrowed, at its writer index; whether there was one.
   *
   * @throws IOException the file cannot be used any more
   */
  boolean get(long high, long low, ByteBuf into) throws IOException;

  /**
   * Writes a record, over the one that was there. Borrows {@code record}, {@link #RECORD_BYTES}
   * octets from its reader index, which stays. False: there is no room for it.
   *
   * @throws IOException the file cannot be used any more
   */
  boolean put(long high, long low, ByteBuf record) throws IOException;

  /**
   * Removes a record; whether there was one.
   *
   * @throws IOException the file cannot be used any more
   */
  boolean remove(long high, long low) throws IOException;

  /**
   * Visits all records, in no order. {@code visitor} must not change the map.
   *
   * @throws IOException the file cannot be used any more
   */
  void forEach(Visitor visitor) throws IOException;

  /** Records in it. */
  long size();

  /** Closes the file; everything written is in it then. */
  @Override
  void close() throws IOException;
}
