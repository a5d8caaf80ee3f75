package io.loligo.core.caching;

import io.loligo.core.config.ConfigReader;
import io.loligo.core.config.ConfigResult;
import io.loligo.core.config.ConfigSource;
import io.loligo.core.config.Directives;
import io.loligo.core.config.ProxyConfig;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;

/** A configuration of the directives of caching alone, for tests. Stateless. */
public final class CachingDefaults {
  /** The configuration without a line. */
  static final ProxyConfig CONFIG = defaults();

  /** The settings without a line. */
  public static final CacheSettings DEFAULT = new CacheSettings(CONFIG, 0);

  private CachingDefaults() {}

  private static ProxyConfig defaults() {
    ConfigResult read =
        new ConfigReader(new Directives(List.of(CachingDirectives.FEATURE)), new NoFiles())
            .readText("test.conf", "");
    if (!read.isUsable()) {
      throw new IllegalArgumentException(read.errors().toString());
    }
    return read.config();
  }

  private static final class NoFiles implements ConfigSource {
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

    @Override
    public String hostName() {
      return "proxy.test";
    }

    @Override
    public ZoneId zone() {
      return ZoneOffset.UTC;
    }
  }
}
