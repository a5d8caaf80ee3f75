package io.loligo.store.disk.medium;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The bytes of the slabs, by position. Thread-safe: any disk thread. Tests put in one that fails or
 * stalls.
 */
public interface Slab extends AutoCloseable {
  /** Opens the slabs of a directory, for {@link SystemMedium}. */
  interface Opener {
    /** Opens the existing file {@code path}. Returns owned. */
    Slab open(Path path) throws IOException;
  }

  /** Makes ready what takes a while and is not needed at once. Blocks. */
  default void prepare() {}

  /**
   * Reads like {@link #read}, but only what is in memory already; false where the disk would have
   * to be waited for, or that cannot be told. Never blocks: event loops may call it.
   */
  default boolean readNow(long position, ByteBuf into, int length) {
    return false;
  }

  /** Begins to read what will be asked for soon, if that is of use. Blocks. */
  default void expect(long position, long length) {}

  /**
   * Reads up to {@code length} bytes from {@code position} to index 0 of {@code into}, borrowed;
   * its indices then enclose what was read: less where the file ends.
   */
  void read(long position, ByteBuf into, int length) throws IOException;

  /**
   * Writes the readable bytes of {@code from}, borrowed, whose indices stay, at {@code position}.
   */
  void write(long position, ByteBuf from) throws IOException;

  @Override
  void close() throws IOException;
}
