package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.core.config.ValueInForce;
import io.loligo.server.json.JsonWriter;

/** The configuration in force as JSON, each value with its line. Stateless. */
final class ConfigJson {
  private ConfigJson() {}

  /** An array of {@code {"directive", "value", "source"}}; secrets were replaced by the reader. */
  static String of(ProxyConfig config) {
    JsonWriter json = JsonWriter.spaced().beginArray();
    for (ValueInForce value : config.inForce()) {
      json.row().beginObject();
      json.member("directive", value.directive());
      json.member("value", value.value());
      json.member("source", value.source().isEmpty() ? "default" : value.source());
      json.endObject();
    }
    return json.endRows().endArray() + "\n";
  }
}
