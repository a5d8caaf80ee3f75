package io.loligo.store.disk.medium;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The bytes of the slabs, by position. Thread-safe: any disk thread. Tests use one that fails or
 * stalls.
 */
public interface Slab extends AutoCloseable {
  /** Opens the slabs of a directory, for {@link SystemMedium}. */
  interface Opener {
    /** Opens the existing file {@code path}. Returns owned. */
    Slab open(Path path) throws IOException;
  }

  /** Does preparations that take a while and are not needed at once. Blocks. */
  default void prepare() {}

  /**
   * Reads like {@link #read}, but only bytes that are in memory; false if that would wait for the
   * disk, or is unknown. Never blocks: event loops may call it.
   */
  default boolean readNow(long position, ByteBuf into, int length) {
    return false;
  }

  /** Begins to read bytes that will be needed soon, if that is useful. Blocks. */
  default void expect(long position, long length) {}

  /**
   * Reads up to {@code length} bytes from {@code position} to index 0 of {@code into}, borrowed;
   * its indices then enclose the bytes read: fewer at the end of the file.
   */
  void read(long position, ByteBuf into, int length) throws IOException;

  /**
   * Writes the readable bytes of {@code from}, borrowed, whose indices stay, at {@code position}.
   */
  void write(long position, ByteBuf from) throws IOException;

  @Override
  void close() throws IOException;
}
