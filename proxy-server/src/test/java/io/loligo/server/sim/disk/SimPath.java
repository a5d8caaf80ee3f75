package io.loligo.server.sim.disk;

import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;

/** A name in {@link SimFiles}: {@code /directory/file}, or the end of one. Immutable. */
final class SimPath implements Path {
  private final SimFileSystem system;
  private final String name;

  SimPath(SimFileSystem system, String name) {
    this.system = system;
    this.name = name;
  }

  @Override
  public FileSystem getFileSystem() {
    return system;
  }

  @Override
  public boolean isAbsolute() {
    return name.startsWith("/");
  }

  @Override
  public Path resolve(Path other) {
    return other.isAbsolute() ? other : new SimPath(system, name + "/" + other);
  }

  @Override
  public Path getFileName() {
    return new SimPath(system, name.substring(name.lastIndexOf('/') + 1));
  }

  @Override
  public Path getParent() {
    int end = name.lastIndexOf('/');
    return end <= 0 ? null : new SimPath(system, name.substring(0, end));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SimPath path && path.name.equals(name) && path.system.equals(system);
  }

  @Override
  public int hashCode() {
    return name.hashCode();
  }

  @Override
  public int compareTo(Path other) {
    return name.compareTo(other.toString());
  }

  @Override
  public String toString() {
    return name;
  }

  @Override
  public boolean startsWith(Path other) {
    return name.startsWith(other.toString());
  }

  @Override
  public boolean endsWith(Path other) {
    return name.endsWith(other.toString());
  }

  @Override
  public Path normalize() {
    return this;
  }

  @Override
  public Path toAbsolutePath() {
    return this;
  }

  @Override
  public Path toRealPath(LinkOption... options) {
    return this;
  }

  // ---- methods that are not called

  @Override
  public Path getRoot() {
    throw new UnsupportedOperationException();
  }

  @Override
  public int getNameCount() {
    throw new UnsupportedOperationException();
  }

  @Override
  public Path getName(int index) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Path subpath(int from, int to) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Path relativize(Path other) {
    throw new UnsupportedOperationException();
  }

  @Override
  public URI toUri() {
    throw new UnsupportedOperationException();
  }

  @Override
  public WatchKey register(
      WatchService watcher, WatchEvent.Kind<?>[] events, WatchEvent.Modifier... modifiers) {
    throw new UnsupportedOperationException();
  }
}
