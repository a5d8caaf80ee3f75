package io.loligo.server.sim.disk;

import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.WatchService;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.spi.FileSystemProvider;
import java.util.List;
import java.util.Set;

/** The part of {@link SimFiles} that paths need. Immutable. */
final class SimFileSystem extends FileSystem {
  private final SimFiles files;

  SimFileSystem(SimFiles files) {
    this.files = files;
  }

  @Override
  public FileSystemProvider provider() {
    return files;
  }

  @Override
  public Path getPath(String first, String... more) {
    return new SimPath(this, first);
  }

  @Override
  public String getSeparator() {
    return "/";
  }

  @Override
  public void close() {}

  @Override
  public boolean isOpen() {
    return true;
  }

  @Override
  public boolean isReadOnly() {
    return false;
  }

  @Override
  public Iterable<Path> getRootDirectories() {
    return List.of();
  }

  @Override
  public Iterable<FileStore> getFileStores() {
    return List.of();
  }

  @Override
  public Set<String> supportedFileAttributeViews() {
    return Set.of("basic");
  }

  @Override
  public PathMatcher getPathMatcher(String pattern) {
    throw new UnsupportedOperationException();
  }

  @Override
  public UserPrincipalLookupService getUserPrincipalLookupService() {
    throw new UnsupportedOperationException();
  }

  @Override
  public WatchService newWatchService() {
    throw new UnsupportedOperationException();
  }
}
