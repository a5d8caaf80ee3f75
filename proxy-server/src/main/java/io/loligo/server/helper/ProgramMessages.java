package io.loligo.server.helper;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.util.function.LongSupplier;

/**
 * The messages of a program that answers nothing, in the log: at most {@value HelperLog#MOST} lines
 * in {@value HelperLog#SECONDS} s. Thread-safe: any thread.
 */
public final class ProgramMessages {
  private static final int MAX_MESSAGE_BYTES = 1024;
  private static final int STACK_BYTES = 256 * 1024;

  private final HelperLog log;

  /** Messages of the program {@code name}; {@code nanos} is a monotonic clock. */
  public ProgramMessages(String name, LongSupplier nanos) {
    log = new HelperLog(name, nanos);
  }

  /** Reads {@code output} to its end, by a thread of its own. */
  public void read(String label, InputStream output) {
    Thread thread =
        new Thread(null, () -> copy(label, output), "loligo-messages " + label, STACK_BYTES);
    thread.setDaemon(true);
    thread.start();
  }

  private void copy(String label, InputStream output) {
    OutputLines lines = new OutputLines(output, MAX_MESSAGE_BYTES);
    try {
      for (byte[] line = lines.next(); line != null; line = lines.next()) {
        log.says(label, new String(line, UTF_8));
      }
    } catch (IOException e) {
      // the program has ended
    }
  }
}
