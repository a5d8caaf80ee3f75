package io.loligo.server.accesslog;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that writes logs. It empties all rings, gives every output its lines, and naps; a
 * line is written after at most {@link #NAP_NANOS}. A half-full ring ends the nap early, so at full
 * load no line wakes the thread. Thread-safe except for {@link #run}, which belongs to its own
 * thread.
 */
final class LogWriter implements Runnable {
  /** How long a line may wait at low load. */
  static final long NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private static final long COMPLAINT_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final Logger LOG = LoggerFactory.getLogger(LogWriter.class);

  private record Turn(boolean rotates, CompletableFuture<Void> done) {}

  private final LineRing[] rings;
  private final LineMerge merge;
  private final LogOutput[] outputs;
  private final LongAdder written = new LongAdder();
  private final LineRing.Consumer consumer = this::write;
  private final Object turnsLock = new Object();
  private final Thread thread;
  private List<Turn> turns = new ArrayList<>(); // guarded by turnsLock
  private boolean ended; // guarded by turnsLock
  private volatile boolean napping;
  private volatile boolean closing;
  private volatile long lost;
  private long lastComplaintNanos;
  private long complaints;

  LogWriter(LineRing[] rings, LogOutput[] outputs) {
    this.rings = rings;
    merge = new LineMerge(rings);
    this.outputs = outputs;
    thread = new Thread(this, "loligo-log-writer");
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** Ends the nap if there is one. */
  void wake() {
    if (napping) {
      napping = false;
      LockSupport.unpark(thread);
    }
  }

  /**
   * Reopens all outputs; completes when new lines go to the new places. Lines offered before the
   * call go to the old ones.
   */
  CompletableFuture<Void> reopen(boolean rotates) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    synchronized (turnsLock) {
      if (ended) {
        done.complete(null);
        return done;
      }
      turns.add(new Turn(rotates, done));
    }
    LockSupport.unpark(thread);
    return done;
  }

  /** Writes all lines offered before, closes the outputs and ends. */
  void close() {
    closing = true;
    LockSupport.unpark(thread);
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  boolean alive() {
    return thread.isAlive();
  }

  long writtenLines() {
    return written.sum() - lost;
  }

  /** Lines taken from the rings that an output could not write. */
  long lostLines() {
    return lost;
  }

  @Override
  public void run() {
    boolean last;
    do {
      last = closing;
      List<Turn> turns = takeTurns(); // first: lines offered before them are then in the rings
      int lines = merge.drain(consumer);
      flush();
      reopen(turns);
      countLost();
      if (lines == 0 && !last) {
        nap();
      } else if (!last && !anyOverHalf()) {
        nap();
      }
    } while (!last);
    end();
  }

  private void nap() {
    napping = true;
    LockSupport.parkNanos(this, NAP_NANOS);
    napping = false;
  }

  private boolean anyOverHalf() {
    for (LineRing ring : rings) {
      if (ring.overHalf()) {
        return true;
      }
    }
    return false;
  }

  private void write(
      int output, byte[] bytes, int start, int length, int secondStart, int secondLength) {
    written.increment();
    try {
      outputs[output].line(bytes, start, length, secondStart, secondLength);
    } catch (IOException e) {
      complain(e);
    }
  }

  private void flush() {
    for (LogOutput output : outputs) {
      try {
        output.flush();
      } catch (IOException e) {
        complain(e);
      }
    }
  }

  private List<Turn> takeTurns() {
    synchronized (turnsLock) {
      if (turns.isEmpty()) {
        return List.of();
      }
      List<Turn> taken = turns;
      turns = new ArrayList<>();
      return taken;
    }
  }

  private void reopen(List<Turn> turns) {
    for (Turn turn : turns) {
      for (LogOutput output : outputs) {
        try {
          output.reopen(turn.rotates);
        } catch (IOException e) {
          complain(e);
        }
      }
      turn.done.complete(null);
    }
  }

  private void countLost() {
    long sum = 0;
    for (LogOutput output : outputs) {
      sum += output.lostLines();
    }
    lost = sum;
  }

  private void end() {
    for (LogOutput output : outputs) {
      try {
        output.close();
      } catch (IOException e) {
        complain(e);
      }
    }
    countLost();
    synchronized (turnsLock) {
      ended = true;
      turns.forEach(turn -> turn.done.complete(null));
    }
  }

  private void complain(IOException failure) {
    complaints++;
    long now = System.nanoTime();
    if (lastComplaintNanos == 0 || now - lastComplaintNanos >= COMPLAINT_NANOS) {
      lastComplaintNanos = now;
      LOG.warn(
          "access log cannot be written ({} failures): {}; its lines are lost; next: free space on"
              + " that disk, or correct the permissions of the file",
          complaints,
          failure.toString());
      complaints = 0;
    }
  }
}
