package io.loligo.server.upstream.http2;

import io.loligo.core.http2.ErrorCode;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.upstream.FetchFailure.Kind;
import io.loligo.server.upstream.pool.ConnectionSettings;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The times of a connection: silence of the server, time without a request, and age. Confined to
 * the channel's event loop.
 */
final class LifeSigns {
  /** Silence of the server after which it is asked for a sign of life, and then given up. */
  static final int PING_MILLIS = 15_000;

  /** Time since the last byte of the server for which it counts as alive. */
  private static final long ALIVE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final MultiplexedConnection connection;
  private final LoopTimer timer;
  private final Watch watch = new Watch();
  private boolean pinged;
  private long heardNanos;

  /** Null: the connection may grow as old as it likes. */
  private @Nullable Aging aging;

  LifeSigns(MultiplexedConnection connection) {
    this.connection = connection;
    this.timer = connection.timer();
  }

  /** The server is silent, or no request is in progress. */
  private final class Watch extends LoopTimer.Timeout {
    @Override
    protected void expired() {
      if (!connection.isInUse()) {
        connection.leave(ErrorCode.NO_ERROR);
      } else if (pinged) {
        connection.lost(Kind.NO_ANSWER, "no answer to PING");
      } else {
        pinged = true;
        connection.ping();
        timer.arm(this, PING_MILLIS);
      }
    }
  }

  /** It takes no further request at this age; open streams end first. */
  private final class Aging extends LoopTimer.Timeout {
    @Override
    protected void expired() {
      connection.leave(ErrorCode.NO_ERROR);
    }
  }

  /** The connection is open, and no request is in progress. */
  void opened(ConnectionSettings settings) {
    heardNanos = connection.nanos();
    idle(settings.idleMillis);
    if (settings.ageMillis > 0) {
      aging = new Aging();
      timer.arm(aging, settings.ageMillis);
    }
  }

  /** No request is in progress any more: the connection is kept for {@code millis}. */
  void idle(long millis) {
    timer.arm(watch, millis);
  }

  /** The server has to send something from now on. */
  void await() {
    pinged = false;
    timer.arm(watch, PING_MILLIS);
  }

  /** Bytes of the server arrived. */
  void heard() {
    heardNanos = connection.nanos();
    pinged = false;
    if (connection.isInUse()) {
      timer.arm(watch, PING_MILLIS);
    }
  }

  /** Whether the server has sent something lately. */
  boolean isKnownAlive() {
    return connection.nanos() - heardNanos < ALIVE_NANOS;
  }

  /** Forgets the timers: the connection is gone. */
  void forget() {
    timer.forget(watch);
    if (aging != null) {
      timer.forget(aging);
    }
  }
}
