package io.loligo.store.disk;

import io.loligo.store.disk.medium.Marks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/**
 * Whether the files of a directory are still those that were opened: an operator may remove or
 * replace them. Thread-safe; blocks.
 */
final class Presence {
  private final Marks marks;

  /** The identity of the header when the directory was opened. */
  private volatile @Nullable Object header;

  Presence(Marks marks) {
    this.marks = marks;
  }

  /** The present files are those of the directory. */
  void remember() {
    header = fileKey();
  }

  /** The header was deleted, because the directory begins empty. */
  void forget() {
    header = "";
  }

  boolean isThere() {
    return fileKey().equals(header) && marks.isThere();
  }

  private Object fileKey() {
    try {
      Object key = Files.readAttributes(marks.header(), BasicFileAttributes.class).fileKey();
      return key == null ? marks.header() : key;
    } catch (IOException gone) {
      return "";
    }
  }
}
