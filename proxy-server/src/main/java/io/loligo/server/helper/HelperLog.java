package io.loligo.server.helper;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lines about one program in the log: at most {@value #MOST} in {@value #SECONDS} s, then one
 * that counts the others. Thread-safe: any thread.
 */
final class HelperLog {
  /** The most lines within the time. */
  static final int MOST = 20;

  /** The time in seconds. */
  static final int SECONDS = 10;

  private static final Logger LOG = LoggerFactory.getLogger(Helper.class);

  private final String name;
  private final LongSupplier nanos;

  // guarded by this
  private long sinceNanos;
  private int lines;
  private long left;

  /** Lines about the program {@code name}; {@code nanos} is a monotonic clock. */
  HelperLog(String name, LongSupplier nanos) {
    this.name = name;
    this.nanos = nanos;
    sinceNanos = nanos.getAsLong();
  }

  /** Something that an operator should act on. */
  void warn(String text) {
    if (mayWrite()) {
      LOG.warn("{}", printable(text));
    }
  }

  /** A message of a child. */
  void says(String label, String text) {
    if (mayWrite()) {
      LOG.info("{} says: {}", label, printable(text));
    }
  }

  private synchronized boolean mayWrite() {
    long now = nanos.getAsLong();
    if (now - sinceNanos >= TimeUnit.SECONDS.toNanos(SECONDS)) {
      if (left > 0) {
        LOG.warn("{}: {} more lines were left out; next: look at the lines before", name, left);
      }
      sinceNanos = now;
      lines = 0;
      left = 0;
    }
    lines++;
    left += lines > MOST ? 1 : 0;
    return lines <= MOST;
  }

  /** A child must not control the terminal that shows the log, nor write a second line. */
  static String printable(String text) {
    StringBuilder plain = new StringBuilder(text.length());
    text.chars().forEach(c -> plain.append(Character.isISOControl(c) ? '?' : (char) c));
    return plain.toString();
  }
}
