package io.loligo.store.disk.medium;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/**
 * Whether the files of a directory are still those that were opened: an operator may remove or
 * replace them. Thread-safe; blocks.
 */
public final class Presence {
  private final Marks marks;

  /** The identity of the header when the directory was opened. */
  private volatile @Nullable Object header;

  public Presence(Marks marks) {
    this.marks = marks;
  }

  /** The present files are those of the directory. */
  public void remember() {
    header = fileKey();
  }

  /** The header was deleted, because the directory begins empty. */
  public void forget() {
    header = "";
  }

  public boolean isThere() {
    return fileKey().equals(header) && marks.isThere();
  }

  /**
   * Whether they are not there, or others are; unlike {@link #isThere} also before one is opened.
   */
  public boolean isGone() {
    Object opened = header;
    return !marks.isThere() || (opened != null && !fileKey().equals(opened));
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
