package io.loligo.server.accesslog;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.loligo.server.helper.ProgramMessages;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.TimeUnit;

/**
 * The input of a {@code logfile_daemon}. Each line begins with a letter: L is a line of the log, R
 * rotates, F flushes, {@code rN} keeps N old files, {@code bN} says whether it may gather lines.
 * Used by one thread, except for {@link #cut}.
 */
final class DaemonStream implements LogStream {
  private static final long END_SECONDS = 1;

  private final Process process;
  private final OutputStream input;

  private DaemonStream(Process process) {
    this.process = process;
    input = process.getOutputStream();
  }

  /**
   * Starts the program, without a shell. Immutable.
   *
   * @param program its path
   * @param place its only argument
   * @param generations the old files that it should keep
   * @param buffered {@code buffered_logs}
   * @param messages takes what it prints
   */
  record Of(
      String program, String place, int generations, boolean buffered, ProgramMessages messages)
      implements Opener {
    @Override
    public LogStream open() throws IOException {
      Process process = new ProcessBuilder(program, place).redirectErrorStream(true).start();
      messages.read("logfile_daemon " + place, process.getInputStream());
      DaemonStream stream = new DaemonStream(process);
      stream.write(bytes(keeping(generations) + "b" + (buffered ? 1 : 0) + "\n"));
      return stream;
    }

    @Override
    public byte[] prefix() {
      return bytes("L");
    }

    @Override
    public byte[] reopening(boolean rotates) {
      return bytes(rotates ? "R\n" : keeping(0) + "R\n" + keeping(generations));
    }

    @Override
    public byte[] flushing() {
      return bytes(buffered ? "" : "F\n");
    }

    private static String keeping(int generations) {
      return "r" + generations + "\n";
    }

    private static byte[] bytes(String text) {
      return text.getBytes(US_ASCII);
    }
  }

  @Override
  public void write(byte[] bytes) throws IOException {
    input.write(bytes);
    input.flush();
  }

  @Override
  public void finish() {
    try {
      input.close();
      process.waitFor(END_SECONDS, TimeUnit.SECONDS);
    } catch (IOException e) {
      // it has ended already
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    cut();
  }

  @Override
  public void cut() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }
}
