package io.loligo.store.disk.medium;

import io.loligo.store.disk.format.Geometry;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.List;

/** The slabs of a directory in several files, as one. Thread-safe. */
final class Slabs implements Slab {
  private final List<Slab> files;

  /** Takes {@code files}, {@link Geometry#FILE_BYTES} each but the last. */
  Slabs(List<Slab> files) {
    this.files = List.copyOf(files);
  }

  /** No block, segment or buffer crosses from one file to the next. */
  private Slab file(long position) {
    return files.get((int) (position / Geometry.FILE_BYTES));
  }

  private static long within(long position) {
    return position % Geometry.FILE_BYTES;
  }

  @Override
  public void read(long position, ByteBuf into, int length) throws IOException {
    file(position).read(within(position), into, length);
  }

  @Override
  public void prepare() {
    files.forEach(Slab::prepare);
  }

  @Override
  public boolean readNow(long position, ByteBuf into, int length) {
    return file(position).readNow(within(position), into, length);
  }

  @Override
  public void expect(long position, long length) {
    file(position).expect(within(position), length);
  }

  @Override
  public void write(long position, ByteBuf from) throws IOException {
    file(position).write(within(position), from);
  }

  @Override
  public void close() throws IOException {
    IOException failure = null;
    for (Slab file : files) {
      try {
        file.close();
      } catch (IOException e) {
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
