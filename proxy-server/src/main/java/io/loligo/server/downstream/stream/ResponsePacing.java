package io.loligo.server.downstream.stream;

import io.loligo.server.downstream.connection.ClientSettings;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.time.Pace;
import io.loligo.server.transport.ResponseTally;
import io.loligo.server.transport.SystemQueue;
import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/**
 * The time in which a client has to take the queued bytes of its response: the write timeout for
 * each step, and a {@link Pace} for all of them. Created when bytes stay queued after a flush.
 * Confined to the client's event loop.
 */
public final class ResponsePacing extends LoopTimer.Timeout {
  /**
   * Windows of loligo_rate_window granted in a row to a client that takes no bytes from the proxy,
   * but some from the system.
   */
  static final int MOST_GRACES = 10;

  /** Told that the client did not take its response in time. */
  public interface Owner {
    /**
     * The response has to be cut.
     *
     * @param late whether the client was below its pace, not only silent
     */
    void tookTooLittle(boolean late);
  }

  private final LoopTimer timer;
  private final ResponseTally tally;
  private final Channel channel;
  private final Owner owner;
  private final @Nullable Pace pace;
  private final long timeoutMillis;
  private final long windowMillis;
  private long seenBytes;
  private int graces;

  /**
   * Nothing is owed yet.
   *
   * @param tally counts the bytes of the response
   * @param channel whose socket they go to
   */
  public ResponsePacing(
      LoopTimer timer, ClientSettings settings, ResponseTally tally, Channel channel, Owner owner) {
    this.timer = timer;
    this.tally = tally;
    this.channel = channel;
    this.owner = owner;
    this.pace = Paces.ofResponse(settings);
    this.timeoutMillis = settings.writeMillis;
    this.windowMillis = settings.rateWindowMillis;
    this.seenBytes = tally.movedBytes();
  }

  /** Bytes are queued. */
  public void begin() {
    if (pace != null) {
      pace.owed(timer.tick());
    }
    timer.arm(this, timer.deadline(timeoutMillis), pace);
  }

  /** The socket took some of them, perhaps all. */
  public void progressed() {
    if (pace != null) {
      pace.moved(timer.tick(), tally.movedBytes() - seenBytes);
      // a few bytes now and then must not renew all of them
      graces = pace.late(timer.tick()) ? graces : 0;
    }
    seenBytes = tally.movedBytes();
    if (tally.pending()) {
      begin();
    } else {
      end();
    }
  }

  private void end() {
    if (pace != null) {
      pace.notOwed(timer.tick());
    }
    timer.cancel(this);
  }

  @Override
  protected void expired() {
    boolean late = pace != null && pace.late(timer.tick());
    if (late && graces < MOST_GRACES && SystemQueue.sentWithin(channel, windowMillis)) {
      graces++;
      timer.arm(this, windowMillis);
      return;
    }
    owner.tookTooLittle(late);
  }
}
