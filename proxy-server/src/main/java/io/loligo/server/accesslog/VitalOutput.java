package io.loligo.server.accesslog;

import java.io.IOException;

/**
 * A log without which the process must not go on ({@code on-error=die}). Confined to the log
 * writer's thread.
 */
final class VitalOutput implements LogOutput {
  private final LogOutput log;
  private final Runnable whenLost;
  private boolean told;

  /** Runs {@code whenLost}, once, if {@code log} has lost a line. */
  VitalOutput(LogOutput log, Runnable whenLost) {
    this.log = log;
    this.whenLost = whenLost;
  }

  @Override
  public void line(byte[] bytes, int start, int length, int secondStart, int secondLength)
      throws IOException {
    try {
      log.line(bytes, start, length, secondStart, secondLength);
    } finally {
      look();
    }
  }

  @Override
  public void flush() throws IOException {
    try {
      log.flush();
    } finally {
      look();
    }
  }

  private void look() {
    if (!told && log.lostLines() > 0) {
      told = true;
      whenLost.run();
    }
  }

  @Override
  public void reopen(boolean rotates) throws IOException {
    log.reopen(rotates);
  }

  @Override
  public long lostLines() {
    return log.lostLines();
  }

  @Override
  public void close() throws IOException {
    log.close();
  }
}
