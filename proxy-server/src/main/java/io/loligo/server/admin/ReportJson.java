package io.loligo.server.admin;

import io.loligo.server.json.JsonWriter;
import io.loligo.server.metrics.LatencySnapshot;
import io.loligo.server.metrics.StoredSizes;

/**
 * The page that {@code loligo report -f} asks for: whether the history is in its file, and the
 * responses written to disk since the start. Stateless.
 */
public final class ReportJson {
  private static final int HALF = 50;
  private static final double NANOS_IN_MICRO = 1_000;

  private ReportJson() {}

  /**
   * An object with {@code historySaved}, {@code sizes}, rows of bytes and number, and {@code
   * bySize}, rows of bytes, median microseconds and number.
   *
   * @param saved whether the file of the history has all its numbers
   */
  public static String of(boolean saved, StoredSizes stored) {
    JsonWriter json = JsonWriter.compact().beginObject();
    json.member("historySaved", saved);
    json.name("sizes").beginArray();
    LatencySnapshot sizes = new LatencySnapshot();
    stored.addSizesTo(sizes);
    for (int i = 0; i < LatencySnapshot.BUCKETS; i++) {
      if (sizes.count(i) > 0) {
        json.beginArray().value(LatencySnapshot.lowestNanos(i)).value(sizes.count(i)).endArray();
      }
    }
    json.endArray().name("bySize").beginArray();
    for (int group = 0; group < StoredSizes.GROUPS; group++) {
      LatencySnapshot times = new LatencySnapshot();
      stored.addTimesTo(times, group);
      if (times.count() > 0) {
        json.beginArray().value((group + 1L) * StoredSizes.GROUP_BYTES);
        json.value(Math.round(times.percentileNanos(HALF) / NANOS_IN_MICRO));
        json.value(times.count()).endArray();
      }
    }
    return json.endArray().endObject().toString();
  }
}
