package io.loligo.server.config;

import io.loligo.core.config.ConfigResult;
import io.loligo.core.config.ProxyConfig;
import io.loligo.server.boot.Features;
import io.loligo.server.port.HttpPort;
import io.loligo.server.port.PortDirectives;

/** Configurations for tests of parts of the proxy. Stateless. */
public final class Configs {
  private Configs() {}

  /** The port of an {@code http_port} line with these words. */
  public static HttpPort port(String words) {
    return of("http_port " + words + "\n").get(PortDirectives.HTTP_PORT).get(1);
  }

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
