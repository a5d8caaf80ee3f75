package io.loligo.server.sim.disk;

import java.nio.file.FileStore;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileStoreAttributeView;

/** A disk with room for everything. Immutable. */
final class SimFileStore extends FileStore {
  private static final long ROOM_BYTES = 1L << 40;

  @Override
  public long getTotalSpace() {
    return ROOM_BYTES;
  }

  @Override
  public long getUsableSpace() {
    return ROOM_BYTES;
  }

  @Override
  public long getUnallocatedSpace() {
    return ROOM_BYTES;
  }

  @Override
  public String name() {
    return "sim";
  }

  @Override
  public String type() {
    return "sim";
  }

  @Override
  public boolean isReadOnly() {
    return false;
  }

  @Override
  public boolean supportsFileAttributeView(Class<? extends FileAttributeView> type) {
    return false;
  }

  @Override
  public boolean supportsFileAttributeView(String name) {
    return false;
  }

  @Override
  public <V extends FileStoreAttributeView> V getFileStoreAttributeView(Class<V> type) {
    return null;
  }

  @Override
  public Object getAttribute(String attribute) {
    throw new UnsupportedOperationException();
  }
}
