package io.loligo.server.exchange.join;

import io.loligo.server.time.LoopTimer;
import io.loligo.store.inflight.InFlight;
import io.netty.util.concurrent.EventExecutor;
import org.jspecify.annotations.Nullable;

/**
 * The limits of the time for which one request waits for others: for their fetches, and for a part
 * that one of them leaves on disk. Confined to the loop.
 */
final class Waits {
  /** The waiting request. Called on its loop. */
  interface Owner {
    /** The time for fetches of other requests is over. */
    void overdue();

    /** The awaited part is on disk, or the time for it is over. Called once. */
    void partLanded();
  }

  private final LoopTimer timer;
  private final Owner owner;
  private @Nullable Patience patience;

  /** The part that is or was waited for; null: none. */
  private @Nullable LandingPart part;

  Waits(LoopTimer timer, Owner owner) {
    this.timer = timer;
    this.owner = owner;
  }

  /**
   * Limits the wait for fetches of other requests ({@code loligo_collapsed_wait}), all together. A
   * fetch that took too long cannot be joined any more. The first of the requests that gave it up
   * begins another fetch, and the others join that one.
   *
   * @param millis from the first call on
   */
  void awaitFetches(long millis) {
    if (patience == null) {
      patience = new Patience();
      timer.arm(patience, millis);
    }
  }

  private final class Patience extends LoopTimer.Timeout {
    @Override
    protected void expired() {
      patience = null;
      owner.overdue();
    }
  }

  /**
   * Waits for the part of {@code landing} on its way to the disk: as long as for a load from disk,
   * at most. Call once.
   *
   * @param millis 0: without a limit
   */
  void awaitPart(InFlight landing, EventExecutor loop, long millis) {
    LandingPart awaited = new LandingPart();
    part = awaited;
    timer.arm(awaited, millis);
    landing.awaitPart(loop, awaited::landed);
  }

  /** Whether a part is or was waited for. */
  boolean awaitedPart() {
    return part != null;
  }

  private final class LandingPart extends LoopTimer.Timeout {
    private boolean told;

    void landed() {
      timer.forget(this);
      tell();
    }

    @Override
    protected void expired() {
      tell();
    }

    private void tell() {
      if (!told) {
        told = true;
        owner.partLanded();
      }
    }
  }

  /** The request waits no more. */
  void end() {
    if (patience != null) {
      timer.forget(patience);
      patience = null;
    }
    if (part != null) {
      timer.forget(part);
    }
  }
}
