package io.loligo.server.accesslog;

import io.loligo.core.acl.AclList;
import io.loligo.core.acl.AclVerdict;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.ExchangeSink;
import io.loligo.server.record.Stage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The access logs of a process: every finished exchange becomes one line in every access_log whose
 * ACLs match it. Thread-safe: any thread; the sinks of {@link #loop} belong to their loops.
 *
 * <p>Lines are composed on the event loop and travel through one bounded ring per loop to one
 * writer thread (docs/adr: access log queue). A full ring drops the line and counts it, or, with
 * {@code loligo_log_overflow block}, stops the event loop.
 */
public final class AccessLog implements AutoCloseable {
  private static final int RING_BYTES = 2 * 1024 * 1024;
  private static final String DEFAULT_FORMAT = "squid";
  private static final long BLOCKED_NANOS = 50_000;

  private final LogWriter writer;
  private final LoopSink[] sinks;
  private final LineRing[] rings;

  /**
   * Opens the logs of a configuration and starts the writer.
   *
   * @param loops number of event loops
   * @param whenLost is run, by the log writer, when a log with {@code on-error=die} has lost a line
   * @throws IOException if a log cannot be opened; names it
   * @throws LogFormatException if a logformat has an invalid code
   */
  public static AccessLog open(LogSettings logging, int loops, Runnable whenLost)
      throws IOException {
    return open(logging, loops, whenLost, RING_BYTES);
  }

  static AccessLog open(LogSettings logging, int loops, Runnable whenLost, int ringBytes)
      throws IOException {
    LogOutputs opener = new LogOutputs(logging, whenLost);
    Map<String, LogOutput> outputs = new LinkedHashMap<>();
    List<Target> targets = new ArrayList<>();
    List<Target> icapTargets = new ArrayList<>();
    List<Target> slowTargets = new ArrayList<>();
    try {
      for (LogTarget line : logging.accessLogs) {
        targets.add(target(line, logging, opener, outputs));
      }
      for (LogTarget line : logging.icapLogs) {
        icapTargets.add(target(line, logging, opener, outputs));
      }
      for (LogTarget line : logging.slowLogs) {
        slowTargets.add(target(line, logging, opener, outputs));
      }
      int places = outputs.size();
      if (places > LineRing.MAX_OUTPUTS) {
        throw new IOException(
            places + " access logs (expected: at most " + LineRing.MAX_OUTPUTS + ")");
      }
    } catch (IOException | RuntimeException e) {
      closeAll(outputs.values(), e);
      throw e;
    }
    return new AccessLog(
        logging,
        targets.toArray(new Target[0]),
        icapTargets.toArray(new Target[0]),
        slowTargets.toArray(new Target[0]),
        outputs.values().toArray(new LogOutput[0]),
        loops,
        ringBytes);
  }

  /** The target of {@code line}; its output is opened unless another line has done so. */
  private static Target target(
      LogTarget line, LogSettings logging, LogOutputs opener, Map<String, LogOutput> outputs)
      throws IOException {
    if (line.where().isNone()) {
      return new Target(null, -1, line.access(), line.slow());
    }
    LogFormat format = format(line.format(), logging);
    String place = line.where().text();
    if (!outputs.containsKey(place)) {
      outputs.put(place, opener.open(line.where()));
    }
    int output = List.copyOf(outputs.keySet()).indexOf(place);
    return new Target(format, output, line.access(), line.slow());
  }

  private static void closeAll(Iterable<LogOutput> outputs, Exception cause) {
    for (LogOutput output : outputs) {
      try {
        output.close();
      } catch (IOException e) {
        cause.addSuppressed(e);
      }
    }
  }

  private static LogFormat format(String name, LogSettings logging) throws IOException {
    String known = name == null || name.isEmpty() ? DEFAULT_FORMAT : name;
    if (known.equals(LogFormat.JSON)) {
      return LogFormat.json(logging.logMimeHeaders);
    }
    String own = logging.formats.get(known);
    String builtIn = LogFormat.builtIn().get(known);
    String text = own == null ? builtIn : own;
    if (text == null) {
      throw new IOException("access_log names the logformat " + known + ", which is not defined");
    }
    boolean custom = own != null && !own.equals(builtIn);
    LogFormat format = LogFormat.compile(text);
    return logging.logMimeHeaders && !custom ? format.withHeads() : format;
  }

  private AccessLog(
      LogSettings logging,
      Target[] targets,
      Target[] icapTargets,
      Target[] slowTargets,
      LogOutput[] outputs,
      int loops,
      int ringBytes) {
    rings = new LineRing[outputs.length == 0 ? 0 : loops];
    for (int i = 0; i < rings.length; i++) {
      rings[i] = new LineRing(ringBytes);
    }
    writer = new LogWriter(rings, outputs);
    sinks = new LoopSink[loops];
    for (int i = 0; i < loops; i++) {
      sinks[i] =
          new LoopSink(
              targets,
              icapTargets,
              slowTargets,
              logging.notes.toArray(new NoteRule[0]),
              rings.length == 0 ? null : rings[i],
              writer,
              new LogLine(logging.stripQueryTerms, logging.clientMask),
              logging.blockWhenFull);
    }
    writer.start();
  }

  /** One line of a log; without a format it is {@code none}. */
  private record Target(
      @Nullable LogFormat format, int output, AclList access, @Nullable Slowness slow) {
    /** An undecidable record is logged: it is in every log, and no {@code none} keeps it out. */
    boolean takes(ExchangeRecord record, LoggedInput input) {
      if (access == null) {
        return true;
      }
      AclVerdict verdict = access.evaluate(input.of(record));
      return format == null ? verdict.allowed() : !verdict.denied();
    }
  }

  /** The sink of event loop number {@code loop}, from 0. */
  public ExchangeSink loop(int loop) {
    return sinks[loop];
  }

  /** Takes transactions with ICAP services on the same loop; null: they are not logged. */
  public @Nullable ExchangeSink icap(int loop) {
    LoopSink sink = sinks[loop];
    return sink.icapTargets.length == 0 ? null : sink::transacted;
  }

  /**
   * Keeps old files, as many as {@code logfile_rotate} or the line says, and starts new ones; with
   * 0 only reopens. Completes when new lines go to the new files.
   */
  public CompletableFuture<Void> rotate() {
    return writer.reopen(true);
  }

  /**
   * Reopens all files by their names, after somebody moved them away. Completes as {@link #rotate}.
   */
  public CompletableFuture<Void> reopen() {
    return writer.reopen(false);
  }

  /** Lines given to the operating system. */
  public long writtenLines() {
    return writer.writtenLines();
  }

  /** Lines dropped because a ring was full or the log was closed. */
  public long droppedLines() {
    long sum = 0;
    for (LoopSink sink : sinks) {
      sum += sink.droppedLines();
    }
    return sum;
  }

  /** Lines of loligo_slow_log left out, because there were too many. */
  public long suppressedLines() {
    long sum = 0;
    for (LoopSink sink : sinks) {
      sum += sink.suppressed.value();
    }
    return sum;
  }

  /** Lines that could not be written: disk full, collector gone. */
  public long lostLines() {
    return writer.lostLines();
  }

  /** Bytes of lines that wait for the writer. */
  public long queuedBytes() {
    long sum = 0;
    for (LineRing ring : rings) {
      sum += ring.usedBytes();
    }
    return sum;
  }

  /**
   * Writes every line offered before, forces it to the disk and ends the writer. Call it only after
   * the event loops have finished their exchanges: a line offered later is dropped and counted.
   */
  @Override
  public void close() {
    for (LoopSink sink : sinks) {
      sink.close();
    }
    writer.close();
  }

  /** Composes lines on one event loop and puts them into its ring. Confined to that loop. */
  private static final class LoopSink implements ExchangeSink {
    private final Target[] targets;
    private final Target[] icapTargets;
    private final Target[] slowTargets;
    private final SlowLimit[] slowLimits;
    private final NoteRule[] notes;
    private final @Nullable LineRing ring;
    private final LogWriter writer;
    private final LogLine line;
    private final boolean blockWhenFull;
    private final DropCount dropped = new DropCount();
    private final DropCount suppressed = new DropCount();
    private final LoggedInput input = new LoggedInput();
    private volatile boolean closed;

    LoopSink(
        Target[] targets,
        Target[] icapTargets,
        Target[] slowTargets,
        NoteRule[] notes,
        @Nullable LineRing ring,
        LogWriter writer,
        LogLine line,
        boolean blockWhenFull) {
      this.targets = targets;
      this.icapTargets = icapTargets;
      this.slowTargets = slowTargets;
      this.slowLimits = new SlowLimit[slowTargets.length];
      Arrays.setAll(slowLimits, i -> new SlowLimit());
      this.notes = notes;
      this.ring = ring;
      this.writer = writer;
      this.line = line;
      this.blockWhenFull = blockWhenFull;
    }

    @Override
    public void finished(ExchangeRecord record) {
      NoteRule.annotate(notes, record, input);
      write(record, targets);
      for (int i = 0; i < slowTargets.length; i++) {
        Target target = slowTargets[i];
        if (target.slow != null && target.slow.has(record) && target.takes(record, input)) {
          if (slowLimits[i].permits(endNanos(record))) {
            write(record, target);
          } else {
            suppressed.increment();
          }
        }
      }
    }

    void transacted(ExchangeRecord record) {
      write(record, icapTargets);
    }

    private void write(ExchangeRecord record, Target[] to) {
      for (Target target : to) {
        if (target.takes(record, input)) {
          if (target.format == null) {
            return;
          }
          write(record, target);
        }
      }
    }

    private void write(ExchangeRecord record, Target target) {
      LineRing queue = ring;
      LogFormat format = target.format;
      assert queue != null && format != null : "a format has an output";
      line.clear();
      format.write(record, line);
      line.truncate(queue.maxLineBytes() - 1);
      line.append('\n');
      offer(queue, target.output, endNanos(record));
    }

    private static long endNanos(ExchangeRecord record) {
      return record.startNanos + Math.max(0, record.stage(Stage.TOTAL));
    }

    private void offer(LineRing to, int output, long timeNanos) {
      if (closed) {
        dropped.increment();
        return;
      }
      boolean taken = to.offer(output, line.bytes(), line.length(), timeNanos);
      while (!taken && blockWhenFull && writer.alive()) {
        writer.wake();
        LockSupport.parkNanos(BLOCKED_NANOS);
        taken = to.offer(output, line.bytes(), line.length(), timeNanos);
      }
      if (!taken) {
        dropped.increment();
      }
      if (to.offeredOverHalf()) {
        writer.wake();
      }
    }

    void close() {
      closed = true;
    }

    long droppedLines() {
      return dropped.value();
    }
  }
}
