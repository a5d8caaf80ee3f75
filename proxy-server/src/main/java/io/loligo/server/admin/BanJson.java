package io.loligo.server.admin;

import io.loligo.store.purge.Ban;
import java.time.Instant;
import java.util.List;

/** Patterns that were purged and are not through, as JSON. Stateless. */
final class BanJson {
  private BanJson() {}

  /** An array of objects, the oldest first. */
  static String of(List<Ban> bans) {
    StringBuilder json = new StringBuilder("[");
    for (Ban ban : bans) {
      json.append(json.length() == 1 ? "\n" : ",\n");
      json.append("  {\"since\": ");
      json.append(JsonText.quoted(Instant.ofEpochMilli(ban.millis()).toString()));
      json.append(", \"host\": ").append(JsonText.quoted(ban.pattern().host()));
      json.append(", \"pattern\": ").append(JsonText.quoted(ban.pattern().regex())).append('}');
    }
    return json.append("\n]\n").toString();
  }
}
