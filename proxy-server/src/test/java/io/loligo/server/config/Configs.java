package io.loligo.server.config;

import io.loligo.core.config.ConfigResult;
import io.loligo.core.config.ProxyConfig;
import io.loligo.server.boot.Features;

/** Configurations for tests of parts of the proxy. Stateless. */
public final class Configs {
  private Configs() {}

  /** A configuration that allows everything and logs nothing, with {@code lines} added. */
  public static ProxyConfig of(String lines) {
    ConfigResult read =
        Features.reader(new TextSource())
            .readText("test.conf", "http_port 0\nhttp_access allow all\naccess_log none\n" + lines);
    if (!read.isUsable()) {
      throw new IllegalArgumentException(read.errors().toString());
    }
    return read.config();
  }
}
