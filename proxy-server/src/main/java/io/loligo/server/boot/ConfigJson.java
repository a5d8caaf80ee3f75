package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.core.config.Setting;
import io.loligo.server.admin.JsonWriter;

/** The configuration in force as JSON, each value with the line it came from. Stateless. */
final class ConfigJson {
  private ConfigJson() {}

  /** An array of {@code {"directive", "value", "source"}}; secrets were replaced by the reader. */
  static String of(ProxyConfig config) {
    JsonWriter json = JsonWriter.spaced().beginArray();
    for (Setting setting : config.settings()) {
      json.row().beginObject();
      json.member("directive", setting.directive());
      json.member("value", setting.value());
      json.member("source", setting.source().isEmpty() ? "default" : setting.source());
      json.endObject();
    }
    return json.endRows().endArray() + "\n";
  }
}
