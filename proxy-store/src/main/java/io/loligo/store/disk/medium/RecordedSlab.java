package io.loligo.store.disk.medium;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A slab whose operations are events of Java Flight Recorder. Thread-safe. Without a recording that
 * wants them, an operation costs one comparison more.
 */
final class RecordedSlab implements Slab {
  private static final boolean PRESENT = ModuleLayer.boot().findModule("jdk.jfr").isPresent();

  private final Slab slab;
  private final String path;

  /**
   * Takes {@code slab}.
   *
   * @param path of its file
   */
  RecordedSlab(Slab slab, String path) {
    this.slab = slab;
    this.path = path;
  }

  /** Opens a file, recorded if the Java runtime has the module {@code jdk.jfr}. */
  static Slab open(Path path) throws IOException {
    Slab file = new SlabFile(path);
    return PRESENT ? new RecordedSlab(file, path.toString()) : file;
  }

  @Override
  public void prepare() {
    slab.prepare();
  }

  @Override
  public void expect(long position, long length) {
    slab.expect(position, length);
  }

  @Override
  public boolean readNow(long position, ByteBuf into, int length) {
    DiskOperationEvent event = DiskOperationEvent.begun();
    boolean read = slab.readNow(position, into, length);
    if (event != null && read) {
      event.ended("cached", path, position, length, null);
    }
    return read;
  }

  @Override
  public void read(long position, ByteBuf into, int length) throws IOException {
    DiskOperationEvent event = DiskOperationEvent.begun();
    try {
      slab.read(position, into, length);
    } catch (IOException | RuntimeException e) {
      if (event != null) {
        event.ended("read", path, position, length, e);
      }
      throw e;
    }
    if (event != null) {
      event.ended("read", path, position, into.readableBytes(), null);
    }
  }

  @Override
  public void write(long position, ByteBuf from) throws IOException {
    DiskOperationEvent event = DiskOperationEvent.begun();
    int bytes = from.readableBytes();
    try {
      slab.write(position, from);
    } catch (IOException | RuntimeException e) {
      if (event != null) {
        event.ended("write", path, position, bytes, e);
      }
      throw e;
    }
    if (event != null) {
      event.ended("write", path, position, bytes, null);
    }
  }

  @Override
  public void close() throws IOException {
    slab.close();
  }
}
