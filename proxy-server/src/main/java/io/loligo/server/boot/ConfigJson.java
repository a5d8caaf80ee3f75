package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.core.config.Setting;

/** The configuration in force as JSON, each value with the line it came from. Stateless. */
final class ConfigJson {
  private ConfigJson() {}

  /** An array of {@code {"directive", "value", "source"}}; secrets were replaced by the reader. */
  static String of(ProxyConfig config) {
    StringBuilder json = new StringBuilder("[");
    for (Setting setting : config.settings()) {
      json.append(json.length() == 1 ? "\n" : ",\n");
      json.append("  {\"directive\": ").append(quoted(setting.directive()));
      json.append(", \"value\": ").append(quoted(setting.value()));
      json.append(", \"source\": ");
      json.append(setting.source().isEmpty() ? "\"default\"" : quoted(setting.source()));
      json.append('}');
    }
    return json.append("\n]\n").toString();
  }

  private static String quoted(String text) {
    StringBuilder out = new StringBuilder(text.length() + 2).append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < ' ') {
        out.append(String.format("\\u%04x", (int) c));
      } else {
        out.append(c);
      }
    }
    return out.append('"').toString();
  }
}
