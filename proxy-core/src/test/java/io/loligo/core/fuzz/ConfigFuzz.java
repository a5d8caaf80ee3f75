package io.loligo.core.fuzz;

import io.loligo.core.caching.CachingDirectives;
import io.loligo.core.config.ConfigReader;
import io.loligo.core.config.ConfigResult;
import io.loligo.core.config.ConfigSource;
import io.loligo.core.config.Directives;
import io.loligo.core.config.FileDirectives;
import io.loligo.core.http1.LimitDirectives;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Any text is read to its end, the same way twice, and is usable or has an error. */
final class ConfigFuzz {
  private static final Directives DIRECTIVES =
      new Directives(
          List.of(FileDirectives.FEATURE, CachingDirectives.FEATURE, LimitDirectives.FEATURE));

  private ConfigFuzz() {}

  static void test(byte[] bytes) {
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    ConfigResult result = new ConfigReader(DIRECTIVES, new Nothing()).readText("fuzz", text);
    FuzzValues.require(result.isUsable() == result.errors().isEmpty(), "usable, or errors");
    ConfigResult again = new ConfigReader(DIRECTIVES, new Nothing()).readText("fuzz", text);
    FuzzValues.require(result.errors().toString().equals(again.errors().toString()), "same errors");
    result
        .errors()
        .forEach(error -> FuzzValues.require(!error.toString().isBlank(), "an error says why"));
  }

  /** Has no files and no names. */
  private static final class Nothing implements ConfigSource {
    @Override
    public String read(String path) {
      return null;
    }

    @Override
    public List<String> expand(String pattern) {
      return List.of();
    }

    @Override
    public List<byte[]> resolve(String host) {
      return List.of();
    }
  }
}
