package io.loligo.server.cli;

import java.io.PrintStream;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A line on a terminal that says how long a command has been waiting, once it has waited for a
 * second. Written by a thread of its own until {@link #end}, which removes the line.
 */
final class WaitingLine {
  private final @Nullable PrintStream terminal;
  private final Thread thread;

  private WaitingLine(@Nullable PrintStream terminal, String what, long everyMillis) {
    this.terminal = terminal;
    thread = new Thread(() -> show(terminal, what, everyMillis), "waiting-line");
    thread.setDaemon(true);
  }

  /** On the terminal that shows the errors of this process, if one does; else nothing is shown. */
  static WaitingLine of(String what) {
    boolean shown = TerminalOutput.hasProgress(TerminalOutput.ERRORS);
    return on(shown ? System.err : null, what, TimeUnit.SECONDS.toMillis(1));
  }

  /**
   * The same on {@code terminal}.
   *
   * @param what is waited for
   * @param everyMillis a second, or less in tests
   */
  static WaitingLine on(@Nullable PrintStream terminal, String what, long everyMillis) {
    WaitingLine line = new WaitingLine(terminal, what, everyMillis);
    if (terminal != null) {
      line.thread.start();
    }
    return line;
  }

  private static void show(@Nullable PrintStream terminal, String what, long everyMillis) {
    try {
      for (long seconds = 1; terminal != null; seconds++) {
        TimeUnit.MILLISECONDS.sleep(everyMillis);
        // a line longer than the terminal must not wrap: the next one could not overwrite it
        terminal.print("\r\u001B[?7l\u001B[K" + what + ": " + seconds + " s\u001B[?7h");
        terminal.flush();
      }
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
    }
  }

  /** Removes the line. */
  void end() {
    if (terminal == null) {
      return;
    }
    thread.interrupt();
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException again) {
        interrupted = true;
      }
    }
    terminal.print("\r\u001B[K");
    terminal.flush();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
