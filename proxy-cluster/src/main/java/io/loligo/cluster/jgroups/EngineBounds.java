package io.loligo.cluster.jgroups;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jgroups.Address;
import org.jgroups.Message;
import org.jspecify.annotations.Nullable;

/**
 * How much may wait in the engine for messages that are missing. The engine itself has no bound: a
 * member that leaves gaps, or never ends a message, fills its heap. A message beyond the bound is
 * dropped. It counts as lost, so an honest member sends it again. Thread-safe.
 */
final class EngineBounds {
  /** Bytes that wait in one protocol for one member. */
  static final long MAX_BYTES = 4L << 20;

  /** Bytes that wait in all protocols for all members together, beside {@link #FREE_BYTES}. */
  static final long MAX_ALL_BYTES = 32L << 20;

  /** Bytes of one member that all others together cannot take from it. */
  static final long FREE_BYTES = 64 << 10;

  /**
   * Numbers that a message may be ahead of those that were delivered. The credits of a member are
   * used up before that.
   */
  static final int MAX_AHEAD = 16_384;

  /** Of a message that waits, beside its bytes on the wire. */
  static final int MESSAGE_BYTES = 256;

  private final AtomicLong dropped = new AtomicLong();
  private final AtomicLong closed = new AtomicLong();
  private final Set<Address> excessive = ConcurrentHashMap.newKeySet();
  private volatile LongSupplier held = () -> 0;

  /** Sets the source of the bytes that wait in all protocols. Any thread asks it. */
  void hold(LongSupplier bytes) {
    held = bytes;
  }

  /** Bytes that wait in all protocols. */
  long held() {
    return held.getAsLong();
  }

  /** Bytes that {@code message} counts for while it waits. */
  static long bytes(Message message) {
    return (long) MESSAGE_BYTES + message.size();
  }

  /**
   * Whether a message may wait.
   *
   * @param waiting bytes of its member that wait in its protocol, itself included
   */
  boolean fits(long waiting) {
    return waiting <= FREE_BYTES || (waiting <= MAX_BYTES && held() <= MAX_ALL_BYTES);
  }

  /**
   * A message was dropped.
   *
   * @param source its member, if no node sends that much; else null
   */
  void dropped(@Nullable Address source) {
    dropped.incrementAndGet();
    if (source != null) {
      excessive.add(source);
    }
  }

  /** Whether messages of {@code source} were dropped since the last call. */
  boolean wasExcessive(Address source) {
    return excessive.remove(source);
  }

  /** A connection was closed, because its member sent messages that no node sends. */
  void closed() {
    closed.incrementAndGet();
  }

  /** Messages that were dropped since the start, because they were too many. */
  long droppedMessages() {
    return dropped.get();
  }

  /** Connections that were closed since the start, because of their messages. */
  long closedConnections() {
    return closed.get();
  }
}
