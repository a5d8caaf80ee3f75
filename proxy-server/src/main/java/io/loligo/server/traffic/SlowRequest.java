package io.loligo.server.traffic;

import io.loligo.core.caching.CacheReason;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.HitClass;
import io.loligo.server.record.Protocol;
import io.loligo.server.record.Stage;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request that took long. Immutable.
 *
 * @param endMillis wall clock at its end, milliseconds since the epoch
 * @param client address of the client
 * @param user null: none
 * @param method as received, at most {@value #MAX_WORD} characters
 * @param url at most {@value #MAX_URL} characters
 * @param status sent; 0: none
 * @param hitClass its class
 * @param protocol with the client
 * @param nanos from the parsed head to the last byte written
 * @param reason the first cause of the decision of the cache; null: it was not asked
 * @param requestId its id; null: none
 * @param stages nanoseconds of the stages in sequence, which add up to {@code nanos}
 */
public record SlowRequest(
    long endMillis,
    String client,
    @Nullable String user,
    String method,
    String url,
    int status,
    HitClass hitClass,
    Protocol protocol,
    long nanos,
    @Nullable CacheReason reason,
    @Nullable String requestId,
    Map<Stage, Long> stages) {
  /** Most characters of a URL. */
  static final int MAX_URL = 500;

  /** Most characters of a method or the name of a user. */
  static final int MAX_WORD = 64;

  private static final int MAX_ID = 128;

  private static final Stage[] STAGES = Stage.values();

  /** Copies what it needs. */
  static SlowRequest of(ExchangeRecord record, @Nullable String user, long nanos) {
    Map<Stage, Long> stages = new EnumMap<>(Stage.class);
    for (Stage stage : STAGES) {
      if (stage.inSequence() && record.stage(stage) > 0) {
        stages.put(stage, record.stage(stage));
      }
    }
    return new SlowRequest(
        record.endMillis,
        record.clientText,
        cutIfGiven(user, MAX_WORD),
        cut(record.method, MAX_WORD),
        url(record),
        record.status,
        record.hitClass,
        Protocol.of(record),
        nanos,
        record.decision == null ? null : record.decision.reason(),
        cutIfGiven(record.requestId(), MAX_ID),
        stages);
  }

  private static String url(ExchangeRecord record) {
    if (record.url != null) {
      return cut(record.url, MAX_URL);
    }
    return record.target == null ? "error:invalid-request" : cut(record.target.url(), MAX_URL);
  }

  private static @Nullable String cutIfGiven(@Nullable String text, int most) {
    return text == null ? null : cut(text, most);
  }

  private static String cut(String text, int most) {
    return text.length() <= most ? text : text.substring(0, most);
  }

  /** The same as {@code view} shows it. */
  SlowRequest shown(TrafficView view) {
    return new SlowRequest(
        endMillis,
        view.client(client),
        user,
        method,
        view.url(url),
        status,
        hitClass,
        protocol,
        nanos,
        reason,
        requestId,
        stages);
  }
}
