package io.loligo.store.disk.medium;

/**
 * Sees the file work of the directories. Thread-safe: any disk thread calls it, beside the work; it
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
}
