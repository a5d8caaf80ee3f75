package io.loligo.store.disk.medium;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** The slabs in one file, preallocated, read and written by position. Thread-safe. */
public final class SlabFile implements Slab {
  private final FileChannel file;
  private final Path path;
  private volatile @Nullable PageCacheFile cached;
  private boolean closed;

  /** Opens an existing file. */
  public SlabFile(Path path) throws IOException {
    this.path = path;
    file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
  }

  @Override
  public void prepare() {
    PageCacheFile opened = PageCacheFile.open(path.toString());
    synchronized (this) {
      if (!closed && cached == null) {
        cached = opened;
        return;
      }
    }
    if (opened != null) {
      opened.close();
    }
  }

  @Override
  public boolean readNow(long position, ByteBuf into, int length) {
    PageCacheFile now = cached;
    return now != null && now.readNow(position, into, length);
  }

  @Override
  public void expect(long position, long length) {
    PageCacheFile now = cached;
    if (now != null) {
      now.expect(position, length);
    }
  }

  @Override
  public void read(long position, ByteBuf into, int length) throws IOException {
    PageCacheFile now = cached;
    if (now != null && now.read(position, into, length)) {
      return;
    }
    into.clear();
    ByteBuffer bytes = into.nioBuffer(0, length);
    int done = 0;
    while (done < length) {
      int more = file.read(bytes, position + done);
      if (more < 0) {
        break;
      }
      done += more;
    }
    into.setIndex(0, done);
  }

  @Override
  public void write(long position, ByteBuf from) throws IOException {
    ByteBuffer bytes = from.nioBuffer();
    long at = position;
    while (bytes.hasRemaining()) {
      at += file.write(bytes, at);
    }
  }

  @Override
  public void close() throws IOException {
    PageCacheFile last;
    synchronized (this) {
      closed = true;
      last = cached;
      cached = null;
    }
    if (last != null) {
      last.close();
    }
    file.close();
  }
}
