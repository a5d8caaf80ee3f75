package io.loligo.store.disk.medium;

/**
 * Sees the file work of the directories. Thread-safe: any thread calls it, beside the work; it
 * neither blocks nor throws.
 */
public interface DiskWatch {
  /** Sees nothing. */
  DiskWatch NOBODY =
      new DiskWatch() {
        @Override
        public void waited(long nanos) {}

        @Override
        public void began(DiskOperation operation) {}

        @Override
        public void ended(DiskOperation operation, long nanos, long bytes) {}

        @Override
        public void stored(long bytes, long nanos, long blocks, long blockNanos) {}
      };

  /** An operation on a file. */
  enum DiskOperation {
    /** Bytes are read, from the page cache of the system or from the disk. */
    READ,
    /** Bytes are written, to the page cache or to the disk. */
    WRITE
  }

  /** A response, or a part of one, left the queue of writes after {@code nanos}. */
  void waited(long nanos);

  /** An operation on a file begins on this thread. */
  void began(DiskOperation operation);

  /**
   * The operation that began on this thread has ended, or failed.
   *
   * @param bytes that it was to read or write
   */
  void ended(DiskOperation operation, long nanos, long bytes);

  /**
   * A response is stored: on files, or in a buffer that is written later together with others. Also
   * called by event loops.
   *
   * @param bytes its fields and content
   * @param nanos its waits for a disk thread and the work for it, without the waits for content
   * @param blocks those of it that were written alone; 0: all of it shares a write with others
   * @param blockNanos the writes of these blocks
   */
  void stored(long bytes, long nanos, long blocks, long blockNanos);
}
