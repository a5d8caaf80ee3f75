package io.loligo.server.helper;

import java.util.function.LongSupplier;

/**
 * A program that runs inside the proxy in the place of child processes, on one thread for each
 * child. Immutable; equal ones are the same program.
 */
public interface InsideProgram {
  /**
   * Starts a child, on its thread.
   *
   * @param nanos a monotonic clock
   */
  Answering start(LongSupplier nanos);

  /** A child. Confined to its thread, except for {@link #close}. */
  interface Answering extends AutoCloseable {
    /**
     * Answers one question. May block.
     *
     * @param question a line without its end, as a program would read it; each character is one
     *     byte
     * @return a line without its end, as a program would write it
     */
    String answer(String question);

    /** Releases what it holds, and ends an {@link #answer} in progress. Any thread; may block. */
    @Override
    void close();
  }
}
