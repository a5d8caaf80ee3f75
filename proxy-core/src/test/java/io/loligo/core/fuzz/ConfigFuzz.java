package io.loligo.core.fuzz;

import io.loligo.core.config.ConfigReader;
import io.loligo.core.config.ConfigResult;
import io.loligo.core.config.TextSource;
import java.nio.charset.StandardCharsets;

/** Any text is read to its end, the same way twice, and is usable or says what is wrong with it. */
final class ConfigFuzz {
  private ConfigFuzz() {}

  static void test(byte[] octets) {
    String text = new String(octets, StandardCharsets.ISO_8859_1);
    ConfigResult result = new ConfigReader(new TextSource()).readText("fuzz", text);
    FuzzValues.require(result.isUsable() == result.errors().isEmpty(), "usable, or errors");
    ConfigResult again = new ConfigReader(new TextSource()).readText("fuzz", text);
    FuzzValues.require(result.errors().toString().equals(again.errors().toString()), "same errors");
    result
        .errors()
        .forEach(error -> FuzzValues.require(!error.toString().isBlank(), "an error says why"));
  }
}
