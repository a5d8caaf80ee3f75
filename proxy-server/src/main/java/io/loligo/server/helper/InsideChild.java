package io.loligo.server.helper;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.loligo.server.helper.InsideProgram.Answering;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A child of an {@link InsideProgram}: one thread, which blocks in the program. Thread-safe: any
 * thread.
 */
final class InsideChild implements ChildProcess {
  private static final byte[] FINISH = {};

  private final InsideProgram program;
  private final Events events;
  private final LongSupplier nanos;
  private final String label;
  private final BlockingQueue<byte[]> lines = new LinkedBlockingQueue<>();

  private volatile @Nullable Answering answering;
  private volatile boolean killed;

  private InsideChild(InsideProgram program, String label, Events events, LongSupplier nanos) {
    this.program = program;
    this.label = label;
    this.events = events;
    this.nanos = nanos;
  }

  /** Starts children of {@code inside}; {@code nanos} is a monotonic clock. */
  static Starter starter(InsideProgram inside, LongSupplier nanos) {
    return (program, number, events) -> {
      String label = program.name() + " #" + number;
      InsideChild child = new InsideChild(inside, label, events, nanos);
      child.thread("", child::run).start();
      return child;
    };
  }

  private Thread thread(String role, Runnable task) {
    Thread thread = new FastThreadLocalThread(null, task, "loligo-helper " + label + role);
    thread.setDaemon(true);
    return thread;
  }

  private void run() {
    String how = "it was told to end";
    try (Answering started = program.start(nanos)) {
      answering = started;
      for (byte[] line = lines.take(); line != FINISH && !killed; line = lines.take()) {
        String question = new String(line, 0, line.length - 1, ISO_8859_1);
        events.line(started.answer(question).getBytes(ISO_8859_1));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException | OutOfMemoryError e) {
      how = e.toString();
    }
    events.gone(how);
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
    Answering started = answering;
    if (started != null) {
      thread(" end", started::close).start();
    }
  }
}
