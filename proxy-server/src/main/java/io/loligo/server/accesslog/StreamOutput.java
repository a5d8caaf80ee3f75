package io.loligo.server.accesslog;

import io.loligo.server.time.LogRateLimit;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lines that go through a stream which may block or break: a TCP connection, or the input of a
 * program. The log writer puts them into a bounded queue and never waits; a thread of this output
 * writes them. Confined to the log writer's thread, but for that thread.
 *
 * <p>A stream that breaks is opened again at once, then after 1, 2, 4, up to {@value
 * #MAX_PAUSE_SECONDS} seconds. The lines of the failed write, {@value #CHUNK_BYTES} bytes at most
 * or one line, are written again, so that the receiver may get some of them twice.
 */
final class StreamOutput implements LogOutput {
  /** The usual size of the queue in bytes. */
  static final int QUEUE_BYTES = 1 << 20;

  /** The least size of the queue in bytes. */
  static final int LEAST_QUEUE_BYTES = 64 << 10;

  private static final int CHUNK_BYTES = 64 << 10;
  private static final int MAX_PAUSE_SECONDS = 30;
  private static final long CLOSE_MILLIS = 2_000;
  private static final Logger LOG = LoggerFactory.getLogger(StreamOutput.class);

  private final String name;
  private final LogStream.Opener opener;
  private final LineQueue queue;
  private final Thread thread;
  private final LogRateLimit breaks = new LogRateLimit(System::nanoTime);
  private final LogRateLimit drops = new LogRateLimit(System::nanoTime);
  private final byte[] prefix;

  /** The open stream; null: none. Written by the thread. */
  private volatile @Nullable LogStream stream;

  /** Whether nobody waits for the end any more. */
  private volatile boolean abandoned;

  /**
   * Begins, without a stream.
   *
   * @param name module and place, for the log
   * @param bufferBytes the size of the queue; 0: the usual one
   */
  StreamOutput(String name, LogStream.Opener opener, int bufferBytes) {
    this.name = name;
    this.opener = opener;
    prefix = opener.prefix();
    int size = bufferBytes == 0 ? QUEUE_BYTES : Math.max(bufferBytes, LEAST_QUEUE_BYTES);
    queue = new LineQueue(size);
    thread = new Thread(this::run, "loligo-log " + name);
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void line(byte[] bytes, int start, int length, int secondStart, int secondLength) {
    if (!queue.line(prefix, bytes, start, length, secondStart, secondLength) && drops.permits()) {
      LOG.warn(
          "access_log {}: too slow, or gone: {} lines dropped so far; next: look at the receiver,"
              + " or raise buffer-size",
          name,
          drops.count());
    }
  }

  @Override
  public void flush() {
    // the thread writes at once
  }

  @Override
  public void reopen(boolean rotates) {
    byte[] command = opener.reopening(rotates);
    if (command.length > 0 && !queue.command(command)) {
      LOG.warn(
          "access_log {}: the program is stuck, and does not reopen its log; next: end that"
              + " program, a new one is started",
          name);
    }
  }

  @Override
  public long lostLines() {
    return queue.lost();
  }

  /** Waits for the receiver to take the queue, {@value #CLOSE_MILLIS} ms at most. */
  @Override
  public void close() {
    queue.close();
    join();
    if (thread.isAlive()) {
      abandoned = true;
      LogStream open = stream;
      if (open != null) {
        open.cut();
      }
      thread.interrupt();
      join();
    }
    queue.abandon();
  }

  private void join() {
    try {
      thread.join(CLOSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  // ---- the thread

  private void run() {
    try {
      for (byte[] lines = queue.take(CHUNK_BYTES); lines != null; lines = queue.take(CHUNK_BYTES)) {
        if (!write(lines)) {
          break;
        }
        if (queue.written()) {
          flushReceiver();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      LogStream open = stream;
      stream = null;
      if (open != null && abandoned) {
        open.cut();
      } else if (open != null) {
        open.finish();
      }
    }
  }

  /** Writes {@code lines}, however often; false: nobody waits any more. */
  private boolean write(byte[] lines) throws InterruptedException {
    for (int failures = 0; !abandoned; failures++) {
      if (failures > 1) {
        queue.pause(TimeUnit.SECONDS.toMillis(pauseSeconds(failures)));
      }
      if (failures > 1 && queue.isClosed()) {
        return false;
      }
      try {
        LogStream open = stream;
        if (open == null) {
          open = opener.open();
          stream = open;
          if (failures > 0) {
            LOG.info("access_log {}: writes again", name);
          }
        }
        open.write(lines);
        return true;
      } catch (IOException e) {
        broken(e);
      }
    }
    return false;
  }

  /** The pause before the next attempt, after so many failures in a row. */
  static int pauseSeconds(int failures) {
    return failures < 2 ? 0 : Math.min(MAX_PAUSE_SECONDS, 1 << Math.min(failures - 2, 5));
  }

  private void flushReceiver() {
    byte[] command = opener.flushing();
    LogStream open = stream;
    if (command.length > 0 && open != null) {
      try {
        open.write(command);
      } catch (IOException e) {
        broken(e);
      }
    }
  }

  private void broken(IOException failure) {
    LogStream open = stream;
    stream = null;
    if (open != null) {
      open.cut();
    }
    if (breaks.permits() && !abandoned) {
      LOG.warn(
          "access_log {}: {}; tried again, {} failures so far; next: look at the receiver or"
              + " program of this log",
          name,
          failure.getMessage(),
          breaks.count());
    }
  }
}
