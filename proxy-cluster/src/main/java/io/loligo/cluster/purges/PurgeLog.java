package io.loligo.cluster.purges;

import io.loligo.cluster.group.NodeRun;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The streams that this node knows, and the last purges of all of them, oldest out first. Confined
 * to the steps.
 */
final class PurgeLog {
  /**
   * A purge in the log.
   *
   * @param sinceNanos when it came to this run of this node; ages of other clocks are not trusted
   */
  private record Slot(Stream stream, long number, int bytes, long sinceNanos) {}

  private final ReplicationLimits limits;
  private final PurgeJournal journal;
  private final Map<NodeRun, Stream> streams = new LinkedHashMap<>();
  private final ArrayDeque<Slot> slots = new ArrayDeque<>();
  private long bytes;
  private int entries;
  private long expired;

  PurgeLog(ReplicationLimits limits, PurgeJournal journal) {
    this.limits = limits;
    this.journal = journal;
  }

  @Nullable Stream stream(NodeRun id) {
    return streams.get(id);
  }

  Stream streamOrNew(NodeRun id) {
    return streams.computeIfAbsent(id, Stream::new);
  }

  Collection<Stream> streams() {
    return streams.values();
  }

  int entries() {
    return entries;
  }

  long bytes() {
    return bytes;
  }

  /**
   * Adds the entry behind the last of {@code stream}, and drops the oldest ones if there are too
   * many.
   */
  void add(Stream stream, byte[] entry, long nowNanos) {
    stream.receive(entry);
    slots.add(new Slot(stream, stream.received(), entry.length, nowNanos));
    entries++;
    bytes += entry.length;
    expire(nowNanos);
  }

  /** Drops entries that are too old or too many. */
  void expire(long nowNanos) {
    long before = expired;
    Slot oldest = slots.peek();
    while (oldest != null
        && (entries > limits.entries()
            || bytes > limits.bytes()
            || nowNanos - oldest.sinceNanos > limits.ageNanos()
            || oldest.number < oldest.stream.firstRetained())) {
      slots.remove();
      expired++;
      if (oldest.number == oldest.stream.firstRetained() && oldest.stream.retained() > 0) {
        drop(oldest.stream, oldest.bytes);
      }
      oldest = slots.peek();
    }
    if (expired != before) {
      journal.expire(expired);
    }
  }

  private void drop(Stream stream, int length) {
    stream.expireFirst();
    entries--;
    bytes -= length;
  }

  /** A validation of everything replaces the purges of {@code stream} up to {@code number}. */
  void cover(Stream stream, long number) {
    if (number > stream.received()) {
      while (stream.retained() > 0) {
        drop(stream, stream.entry(stream.firstRetained()).length);
      }
    }
    stream.cover(number);
  }

  /** Forgets a stream of which no entry is retained. */
  void forget(Stream stream) {
    assert stream.retained() == 0;
    streams.remove(stream.id());
  }
}
