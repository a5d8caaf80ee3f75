package io.loligo.cluster.purges;

import io.loligo.cluster.group.NodeRun;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Streams as a journal kept them. Confined to one thread. */
final class Restored {
  /** A purge that was taken and perhaps not carried out. */
  record Replay(Stream stream, long number, byte[] entry) {}

  /**
   * Work that the earlier run left.
   *
   * @param replays in their order
   * @param missing streams of which purges before the last are neither kept nor carried out, with
   *     the number of the last
   */
  record Rest(List<Replay> replays, Map<NodeRun, Long> missing) {}

  /** Entries of one stream without a gap, the last ones that there are. */
  private static final class Run {
    private long first = 1;
    private long applied;
    private long missing;
    private final List<byte[]> entries = new ArrayList<>();

    private long last() {
      return first + entries.size() - 1;
    }

    private void add(long number, byte[] entry) {
      if (number != last() + 1) {
        entries.clear();
        first = number;
      }
      entries.add(entry);
    }
  }

  private final PurgeLog log;
  private final long nowNanos;
  private final Map<NodeRun, Run> runs = new LinkedHashMap<>();

  Restored(PurgeLog log, long nowNanos) {
    this.log = log;
    this.nowNanos = nowNanos;
  }

  /**
   * Puts what is kept into the log.
   *
   * @return what is left to do
   */
  Rest restore(PurgeJournal.Kept kept) {
    for (PurgeJournal.Line line : kept.lines()) {
      if (line instanceof PurgeJournal.Line.Entry entry) {
        run(entry.stream()).add(entry.number(), entry.entry());
      } else if (line instanceof PurgeJournal.Line.Applied applied) {
        Run run = run(applied.stream());
        run.applied = Math.max(run.applied, applied.number());
      } else if (line instanceof PurgeJournal.Line.Missing missing) {
        Run run = run(missing.stream());
        run.missing = Math.max(run.missing, missing.number());
      } else {
        runs.remove(((PurgeJournal.Line.Forgotten) line).stream());
      }
    }
    Rest rest = new Rest(new ArrayList<>(), new LinkedHashMap<>());
    runs.forEach(
        (id, run) -> {
          if (run.applied > 0 || run.missing > 0 || !run.entries.isEmpty()) {
            restore(log.streamOrNew(id), run, rest);
          }
        });
    return rest;
  }

  private void restore(Stream stream, Run run, Rest rest) {
    boolean hasLast = !run.entries.isEmpty() && run.last() >= run.applied;
    boolean hasGap = run.missing > run.applied || (hasLast && run.first > run.applied + 1);
    if (hasGap || !hasLast) {
      log.cover(stream, run.applied);
      if (hasGap) {
        rest.missing().put(stream.id(), Math.max(run.missing, run.last()));
      }
      return;
    }
    log.cover(stream, run.first - 1);
    for (byte[] entry : run.entries) {
      log.add(stream, entry, nowNanos);
      if (stream.received() > run.applied) {
        rest.replays().add(new Replay(stream, stream.received(), entry));
      }
    }
    log.cover(stream, run.applied);
  }

  private Run run(NodeRun stream) {
    return runs.computeIfAbsent(stream, id -> new Run());
  }
}
