package io.loligo.core.config;

import org.jspecify.annotations.Nullable;

/**
 * Reads all lines of one directive and makes its value. One reader serves one reading of a file.
 * Confined to one thread.
 *
 * @param <T> type of the value
 */
public interface LineReader<T extends @Nullable Object> {
  /** Makes the reader of a directive. */
  @FunctionalInterface
  interface Factory<T extends @Nullable Object> {
    /** A reader of {@code directive} for one reading of a file. */
    LineReader<T> open(Directive directive, Reading reading);
  }

  /** Takes the next line. Reports its problems and never throws. */
  void read(Line line);

  /** Reports problems that show only in all lines of the file together. */
  default void end() {}

  /** The value. Called once, after {@link #end}; may be null. */
  T value();
}
