package io.loligo.cluster.share;

import java.util.function.BooleanSupplier;

/**
 * The signs that one request has of a peer: its first sign of life, its response as long as the
 * peer is in routing, then the content. It is looked at each {@link #TICK_NANOS} while it waits.
 * Confined to the event loop.
 *
 * <pre>
 * ASKED         a sign of life is awaited, up to the limit of the peer, or until other requests
 *               put it out of routing
 * ACKNOWLEDGED  the response is awaited, as long as the peer is in routing
 * CONTENT       so is the content; a silent peer is left if it is out of routing or suspected
 * </pre>
 *
 * <p>A peer in routing may be silent within the content as long as it likes: its origin may be
 * slow. One out of routing has {@link #SILENT_NANOS}. If another hop can give the rest, a peer that
 * fails other requests has the limit of an acknowledgement: three of them may take long to come.
 */
public class SignOfLife {
  /** Interval of the looks; a limit is noticed so much later, at most. */
  public static final long TICK_NANOS = 10_000_000L;

  /** A look this late is the doing of the loop that looks. */
  public static final long LATE_NANOS = 5_000_000L;

  /** Between two looks whether a peer that has acknowledged is still in routing. */
  public static final long LOOK_NANOS = 2 * TICK_NANOS;

  /**
   * A peer out of routing that sends no byte of the content for so long has gone. Its response
   * breaks off if no other hop continues it.
   */
  public static final long SILENT_NANOS = 1_000_000_000L;

  /** The peer that has the request, as the request sees it. Confined to the event loop. */
  public interface Peer {
    /** The longest wait for a sign of life. */
    long limitNanos();

    /** Whether it is out of routing at present, or has left. */
    boolean isOut();

    /** Whether it is out, or has failed another request since its last acknowledgement. */
    boolean isSuspected();

    /** It gave the first sign of life, {@code tookNanos} after the request was sent. */
    void acknowledged(long tookNanos);
  }

  private enum Phase {
    ASKED,
    ACKNOWLEDGED,
    CONTENT
  }

  private final Peer peer;
  private final long sentNanos;
  private final long limitNanos;

  /** Whether the request is a try of a peer that is out of routing. */
  private final boolean isTry;

  private Phase phase = Phase.ASKED;
  private long dueNanos;
  private boolean extended;

  /** Whether bytes of the content are awaited. */
  private boolean reading;

  /** When bytes of the content came, or began to be awaited; as of the last look. */
  private long heardNanos;

  private boolean heard;

  /** Waits from now on: the request is sent. */
  public SignOfLife(Peer peer, long nowNanos) {
    this.peer = peer;
    sentNanos = nowNanos;
    limitNanos = peer.limitNanos();
    dueNanos = nowNanos + limitNanos;
    isTry = peer.isOut();
  }

  /**
   * Looks whether the peer is silent for too long; then the request goes on elsewhere, and no
   * further look follows.
   *
   * @param lateNanos how much later the loop looks than planned. It finds its timers before the
   *     bytes that came meanwhile: a limit that is found late is waited for once more, for as long
   *     as it was late.
   * @param canContinue whether the rest of the response, which has begun, would be requested from
   *     another hop if it broke off now; asked only if that decides
   */
  public final boolean isSilent(long nowNanos, long lateNanos, BooleanSupplier canContinue) {
    boolean late = lateNanos > LATE_NANOS;
    if (late) {
      heardNanos += lateNanos;
    }
    if (phase == Phase.ASKED) {
      return isOverdue(nowNanos, late);
    }
    if (nowNanos - dueNanos < 0) {
      return false;
    }
    dueNanos = nowNanos + LOOK_NANOS;
    return phase == Phase.ACKNOWLEDGED ? !late && peer.isOut() : isGone(nowNanos, canContinue);
  }

  private boolean isOverdue(long nowNanos, boolean late) {
    if (nowNanos - dueNanos < 0) {
      return !late && !isTry && peer.isOut();
    }
    if (late && !extended) {
      extended = true;
      dueNanos = nowNanos + (nowNanos - dueNanos);
      return false;
    }
    return true;
  }

  private boolean isGone(long nowNanos, BooleanSupplier canContinue) {
    if (heard || !reading) {
      heard = false;
      heardNanos = nowNanos;
    }
    long quietNanos = nowNanos - heardNanos;
    return (quietNanos >= SILENT_NANOS && peer.isOut())
        || (quietNanos >= limitNanos && peer.isSuspected() && canContinue.getAsBoolean());
  }

  /** It came. Returns whether it is the first. */
  public final boolean came(long nowNanos) {
    boolean first = phase == Phase.ASKED;
    if (first) {
      phase = Phase.ACKNOWLEDGED;
      dueNanos = nowNanos + LOOK_NANOS;
      peer.acknowledged(nowNanos - sentNanos);
    }
    return first;
  }

  /** The head of the response came. */
  public final void responded(long nowNanos) {
    came(nowNanos);
    phase = Phase.CONTENT;
    heard = true;
  }

  /** Whether the head of the response has come. */
  public final boolean hasResponded() {
    return phase == Phase.CONTENT;
  }

  /** Bytes of the content are awaited. */
  public final void reads() {
    heard |= !reading;
    reading = true;
  }

  /** Bytes of the content came. */
  public final void heard() {
    heard = true;
  }

  /** No bytes of the content are awaited: nobody takes them at present. */
  public final void rests() {
    reading = false;
  }
}
