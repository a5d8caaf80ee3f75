package io.loligo.server.admin;

import io.loligo.server.json.JsonWriter;
import io.loligo.store.purge.Ban;
import java.time.Instant;
import java.util.List;

/** Patterns of purges that are pending, as JSON. Stateless. */
final class BanJson {
  private BanJson() {}

  /** An array of objects, the oldest first. */
  static String of(List<Ban> bans) {
    JsonWriter json = JsonWriter.spaced().beginArray();
    for (Ban ban : bans) {
      json.row().beginObject();
      json.member("since", Instant.ofEpochMilli(ban.millis()).toString());
      json.member("host", ban.pattern().host());
      json.member("pattern", ban.pattern().regex());
      json.member("soft", ban.soft());
      json.endObject();
    }
    return json.endRows().endArray() + "\n";
  }
}
