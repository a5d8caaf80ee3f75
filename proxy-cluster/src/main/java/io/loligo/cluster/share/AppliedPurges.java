package io.loligo.cluster.share;

import io.loligo.cluster.group.NodeRun;
import io.loligo.cluster.purges.PurgeProgress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The purges that have taken effect here, as far as bytes of peers are concerned. Told by the
 * replication on the steps; the other methods are thread-safe, and take no lock.
 *
 * <p>A peer may not have applied a purge yet that this node has applied. Then its bytes are good
 * for the request that fetched them, which began before all nodes had confirmed the purge. They are
 * not good for a request that begins later. So others may join the fetch or find its response
 * stored only if the peer had applied every purge that has taken effect here. Two vectors make the
 * comparison safe at each moment:
 *
 * <ul>
 *   <li>The peer sends {@link #applied}, read before it looks for the response: purges whose effect
 *       is complete.
 *   <li>The asking node compares it with its {@link #claim}: also purges whose effect may have
 *       begun. It takes the claim after its fetch became one that a purge ends. A purge that begins
 *       later ends the fetch, as it ends one from an origin.
 * </ul>
 *
 * <p>A purge of this node takes effect before it has a number, and a node that has missed purges
 * does not know which. In both cases the claim is null, and no response of a peer is shared.
 */
public final class AppliedPurges implements PurgeProgress {
  private final BooleanSupplier caughtUp;
  private final Streams begun = new Streams();
  private final Streams complete = new Streams();
  private final AtomicInteger unpublished = new AtomicInteger();

  /**
   * None.
   *
   * @param caughtUp {@code Replication.isCaughtUp}; any thread
   */
  public AppliedPurges(BooleanSupplier caughtUp) {
    this.caughtUp = caughtUp;
  }

  /** Call before a purge of this node has any effect. One call of {@link #published} follows. */
  public void publishing() {
    unpublished.incrementAndGet();
  }

  /** The purge of this node was given to {@code Replication.publish}, or will not be. */
  public void published() {
    unpublished.decrementAndGet();
  }

  @Override
  public void begins(NodeRun stream, long number) {
    begun.raise(stream, number);
  }

  /**
   * {@inheritDoc} No lookup that begins later finds what they purged, on any event loop, and no
   * fetch that began before is joined or stored.
   */
  @Override
  public void applied(NodeRun stream, long number) {
    begun.raise(stream, number);
    complete.raise(stream, number);
  }

  /**
   * The purges that the response of a peer has to cover before others may use it.
   *
   * @return null: nobody else may use it, whatever the peer says
   */
  public @Nullable PurgeVector claim() {
    return unpublished.get() > 0 || !caughtUp.getAsBoolean() ? null : begun.vector;
  }

  /** Read it before the lookup, and send it with the response. */
  public PurgeVector applied() {
    return complete.vector;
  }

  /** Confined to the steps, but for the vector. */
  private static final class Streams {
    private final Map<NodeRun, Long> numbers = new LinkedHashMap<>();
    private volatile PurgeVector vector = PurgeVector.of(new long[0], new long[0]);

    void raise(NodeRun stream, long number) {
      Long before = numbers.get(stream);
      if (number <= (before == null ? 0 : before)) {
        return;
      }
      numbers.remove(stream);
      numbers.put(stream, number);
      if (numbers.size() > PurgeVector.SENT) {
        numbers.remove(numbers.keySet().iterator().next());
      }
      long[] ids = new long[numbers.size()];
      long[] lasts = new long[ids.length];
      int at = ids.length;
      for (Map.Entry<NodeRun, Long> each : numbers.entrySet()) {
        ids[--at] = Mix.of(Mix.of(each.getKey().node()) ^ each.getKey().run());
        lasts[at] = each.getValue();
      }
      vector = PurgeVector.of(ids, lasts);
    }
  }
}
