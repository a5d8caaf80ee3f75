package io.loligo.server.downstream.stream;

import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.Stage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The last stages of an exchange, so that the stages in sequence have the sum {@link Stage#TOTAL}.
 * Stateless.
 */
final class StageSum {
  /** A wait that no stage explains and that is shorter belongs to the reply. */
  private static final long SHORT_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

  private StageSum() {}

  /**
   * Completes the stages of {@code done}.
   *
   * @param answerNanos monotonic clock when the response's head was given; {@code now} without one
   * @param now monotonic clock
   */
  static void complete(ExchangeRecord done, long answerNanos, long now) {
    long wait = answerNanos - done.lapNanos();
    long fetched = time(done, Stage.DNS) + time(done, Stage.PROXY_CONNECT);
    long unexplained = wait - fetched - time(done, Stage.SERVER_FIRST_BYTE);
    Stage waited = waited(done);
    if (waited != null && unexplained >= SHORT_NANOS) {
      done.addTo(waited, unexplained);
      unexplained = 0;
    }
    // less than nothing: damaged content was fetched again during the reply
    done.stage(Stage.PROXY_REPLY, Math.max(0, now - answerNanos + unexplained));
    done.stage(Stage.TOTAL, now - done.startNanos);
  }

  private static long time(ExchangeRecord done, Stage stage) {
    return Math.max(0, done.stage(stage));
  }

  /** What an exchange may have waited for before its response; null: nothing but the proxy. */
  private static @Nullable Stage waited(ExchangeRecord done) {
    if (done.requestAdaptations != null || done.responseAdaptations != null) {
      return Stage.ADAPTATION;
    }
    if (done.collapsed) {
      return Stage.JOIN;
    }
    return done.attempts > 0 ? Stage.ATTEMPTS : null;
  }
}
