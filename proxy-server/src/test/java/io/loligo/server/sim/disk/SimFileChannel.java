package io.loligo.server.sim.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;

/** An open {@link SimFile}. Confined to the world's thread. */
final class SimFileChannel extends FileChannel {
  private final SimFiles files;
  private final Path path;
  private final SimFile file;
  private long position;

  SimFileChannel(SimFiles files, Path path, SimFile file) {
    this.files = files;
    this.path = path;
    this.file = file;
  }

  @Override
  public int read(ByteBuffer into, long from) throws IOException {
    files.before(path, false);
    byte[] bytes = new byte[into.remaining()];
    int count = file.read(from, bytes, 0, bytes.length);
    into.put(bytes, 0, count);
    return count == 0 && bytes.length > 0 ? -1 : count;
  }

  @Override
  public int read(ByteBuffer into) throws IOException {
    int count = read(into, position);
    position += Math.max(0, count);
    return count;
  }

  @Override
  public int write(ByteBuffer from, long to) throws IOException {
    byte[] bytes = new byte[from.remaining()];
    from.get(bytes);
    try {
      files.before(path, true);
    } catch (IOException e) {
      file.write(to, bytes, 0, bytes.length / 2, files.now());
      throw e;
    }
    file.write(to, bytes, 0, bytes.length, files.now());
    return bytes.length;
  }

  @Override
  public int write(ByteBuffer from) throws IOException {
    int count = write(from, position);
    position += count;
    return count;
  }

  @Override
  public long position() {
    return position;
  }

  @Override
  public FileChannel position(long to) {
    position = to;
    return this;
  }

  @Override
  public long size() {
    return file.size();
  }

  @Override
  public FileChannel truncate(long bytes) {
    if (bytes < file.size()) {
      file.size(bytes);
    }
    return this;
  }

  @Override
  public void force(boolean metaData) throws IOException {
    files.before(path, true);
    file.force();
    if (metaData) {
      files.commit();
    }
  }

  @Override
  public FileLock tryLock(long from, long bytes, boolean shared) {
    if (!files.lock(path)) {
      throw new OverlappingFileLockException();
    }
    return new Held();
  }

  /** The lock of a process. */
  private final class Held extends FileLock {
    private boolean valid = true;

    Held() {
      super(SimFileChannel.this, 0, Long.MAX_VALUE, false);
    }

    @Override
    public boolean isValid() {
      return valid;
    }

    @Override
    public void release() {
      valid = false;
      files.unlock(path);
    }
  }

  @Override
  protected void implCloseChannel() {}

  // ---- methods that are not called

  @Override
  public long read(ByteBuffer[] into, int offset, int length) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long write(ByteBuffer[] from, int offset, int length) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long transferTo(long from, long count, WritableByteChannel to) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long transferFrom(ReadableByteChannel from, long to, long count) {
    throw new UnsupportedOperationException();
  }

  @Override
  public MappedByteBuffer map(MapMode mode, long from, long bytes) throws IOException {
    throw new UnsupportedOperationException();
  }

  @Override
  public FileLock lock(long from, long bytes, boolean shared) throws IOException {
    throw new UnsupportedOperationException();
  }
}
