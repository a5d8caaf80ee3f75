package io.loligo.server.helper;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.util.concurrent.FastThreadLocalThread;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A child process of the system, without a shell. Thread-safe: any thread.
 *
 * <p>Three threads serve it, each of which blocks on one of its pipes: one starts it and writes
 * questions, one reads answers, one reads messages for the log. They end with the child, except
 * while another process holds its output open.
 */
final class SystemProcess implements ChildProcess {
  /** The longest answer in bytes: {@value}. */
  static final int MAX_ANSWER_BYTES = 64 * 1024;

  private static final int MAX_MESSAGE_BYTES = 1024;
  private static final int STACK_BYTES = 256 * 1024;
  private static final long EXIT_MILLIS = 1_000;
  private static final byte[] FINISH = {};

  private final HelperProgram program;
  private final String label;
  private final Events events;
  private final HelperLog log;
  private final BlockingQueue<byte[]> lines = new LinkedBlockingQueue<>();

  private volatile @Nullable Process process;
  private volatile boolean killed;

  private SystemProcess(HelperProgram program, int number, Events events, HelperLog log) {
    this.program = program;
    this.events = events;
    this.log = log;
    label = program.name() + " #" + number;
  }

  /** Starts children whose messages go to {@code log}. */
  static Starter starter(HelperLog log) {
    return (program, number, events) -> {
      SystemProcess child = new SystemProcess(program, number, events, log);
      child.thread("in", child::run).start();
      return child;
    };
  }

  private Thread thread(String pipe, Runnable task) {
    String name = "loligo-helper " + label + " " + pipe;
    Thread thread = new FastThreadLocalThread(null, task, name, STACK_BYTES);
    thread.setDaemon(true);
    return thread;
  }

  private void run() {
    Process started;
    try {
      started = new ProcessBuilder(program.command()).start();
    } catch (IOException | RuntimeException e) {
      events.gone("cannot be started: " + e.getMessage());
      return;
    }
    process = started;
    if (killed) {
      destroy(started);
    }
    started.onExit().thenRun(events::exited);
    thread("out", () -> read(started)).start();
    thread("err", () -> readMessages(started)).start();
    write(started);
  }

  private void write(Process started) {
    try (OutputStream out = started.getOutputStream()) {
      while (true) {
        byte[] line = lines.take();
        if (line == FINISH) {
          return;
        }
        out.write(line);
        if (lines.isEmpty()) {
          out.flush();
        }
      }
    } catch (IOException e) {
      // it reads no more: the end of its output tells the same
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void read(Process started) {
    OutputLines answers = new OutputLines(started.getInputStream(), MAX_ANSWER_BYTES);
    try {
      for (byte[] line = answers.next(); line != null; line = answers.next()) {
        if (answers.tooLong()) {
          events.garbage("an answer of more than " + MAX_ANSWER_BYTES + " bytes");
          break;
        }
        events.line(line);
      }
    } catch (IOException e) {
      // the same as its end
    }
    lines.offer(FINISH);
    events.gone(end(started));
  }

  /** Waits for the end of a child that has closed its output; one that goes on is ended. */
  private static String end(Process started) {
    try {
      if (!started.waitFor(EXIT_MILLIS, TimeUnit.MILLISECONDS)) {
        destroy(started);
        return "it has closed its output";
      }
      return "exit status " + started.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "the proxy stops";
    }
  }

  private void readMessages(Process started) {
    OutputLines messages = new OutputLines(started.getErrorStream(), MAX_MESSAGE_BYTES);
    try {
      for (byte[] line = messages.next(); line != null; line = messages.next()) {
        log.says(label, new String(line, UTF_8));
      }
    } catch (IOException e) {
      // the same as its end
    }
  }

  @Override
  public void send(byte[] line) {
    lines.offer(line);
  }

  @Override
  public void finish() {
    lines.offer(FINISH);
  }

  @Override
  public void kill() {
    killed = true;
    lines.offer(FINISH);
    Process started = process;
    if (started != null) {
      thread("end", () -> destroy(started)).start();
    }
  }

  /** Ends the processes that it has started too: one of them could hold its output open. */
  private static void destroy(Process started) {
    started.descendants().forEach(ProcessHandle::destroyForcibly);
    started.destroyForcibly();
  }
}
