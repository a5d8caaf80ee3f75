package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.core.config.Setting;
import io.loligo.server.admin.JsonText;

/** The configuration in force as JSON, each value with the line it came from. Stateless. */
final class ConfigJson {
  private ConfigJson() {}

  /** An array of {@code {"directive", "value", "source"}}; secrets were replaced by the reader. */
  static String of(ProxyConfig config) {
    StringBuilder json = new StringBuilder("[");
    for (Setting setting : config.settings()) {
      json.append(json.length() == 1 ? "\n" : ",\n");
      json.append("  {\"directive\": ").append(JsonText.quoted(setting.directive()));
      json.append(", \"value\": ").append(JsonText.quoted(setting.value()));
      json.append(", \"source\": ");
      json.append(setting.source().isEmpty() ? "\"default\"" : JsonText.quoted(setting.source()));
      json.append('}');
    }
    return json.append("\n]\n").toString();
  }
}
