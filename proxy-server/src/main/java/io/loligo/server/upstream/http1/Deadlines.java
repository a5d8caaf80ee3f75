package io.loligo.server.upstream.http1;

import io.loligo.server.time.LoopTimer;
import io.loligo.server.time.Pace;
import io.loligo.server.upstream.pool.ConnectionSettings;
import org.jspecify.annotations.Nullable;

/**
 * The times of a connection: one deadline for the event that is awaited, the pace of the response,
 * and the age from which no request is sent. Confined to the connection's event loop.
 */
final class Deadlines {
  private final OriginConnection connection;
  private final LoopTimer timer;
  private final RequestSending output;
  private final ResponsePace pace;
  private final Deadline deadline = new Deadline();

  /** Null: the connection may grow as old as it likes. */
  private @Nullable Aging aging;

  Deadlines(OriginConnection connection, LoopTimer timer, RequestSending output) {
    this.connection = connection;
    this.timer = timer;
    this.output = output;
    this.pace = new ResponsePace(timer);
  }

  /** The deadline of an idle connection, of 100, of a write or of a read. */
  private final class Deadline extends LoopTimer.Timeout {
    @Override
    protected void expired() {
      connection.timedOut(pace.isLate());
    }
  }

  /** It takes no further request at this age. */
  private final class Aging extends LoopTimer.Timeout {
    @Override
    protected void expired() {
      connection.grewOld();
    }
  }

  /** The connection begins; {@code ageMillis} 0: it may grow as old as it likes. */
  void opened(long ageMillis) {
    if (ageMillis > 0) {
      aging = new Aging();
      timer.arm(aging, ageMillis);
    }
  }

  /** Whether it takes no further request. */
  boolean isOld() {
    return aging != null && !aging.armed();
  }

  /** No exchange is in progress: the connection is kept for {@code millis}. */
  void idle(long millis) {
    timer.arm(deadline, millis);
  }

  /** {@code bytes} of the response arrived. */
  void moved(int bytes) {
    pace.moved(bytes);
  }

  /**
   * Arms or disarms the deadline for the event that is awaited now.
   *
   * @param reading whether bytes of the peer are awaited
   */
  void watch(ConnectionSettings settings, boolean reading) {
    if (output.awaitsContinue()) {
      if (!deadline.armed()) {
        timer.arm(deadline, OriginConnection.CONTINUE_MILLIS);
      }
    } else if (output.isStuck()) {
      timer.arm(deadline, settings.writeMillis);
    } else if (!output.isSending() && reading) {
      Pace owed = null;
      if (connection.hasBegun()) {
        owed = pace.owed(settings);
      } else {
        pace.notOwed();
      }
      timer.arm(deadline, timer.deadline(settings.readMillis), owed);
      return;
    } else {
      disarm();
    }
    pace.notOwed();
  }

  /** Nothing is awaited. */
  void disarm() {
    timer.cancel(deadline);
  }

  /** The exchange is over. */
  void leave() {
    disarm();
    pace.forget();
  }

  /** The channel is closed: forgets the deadline, unless it is armed. */
  void closed() {
    if (!deadline.armed()) {
      timer.forget(deadline);
    }
  }

  /** The connection is over. */
  void forgetAge() {
    if (aging != null) {
      timer.forget(aging);
    }
  }
}
