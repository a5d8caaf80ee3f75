package io.loligo.server.config;

import io.loligo.core.config.ConfigResult;
import io.loligo.core.config.ConfigSource;
import io.loligo.core.config.ExaminedConfig;
import io.loligo.server.boot.Features;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Files in a map, for tests. Confined to one thread. */
public final class TextSource implements ConfigSource {
  private final Map<String, String> files = new TreeMap<>();
  private final Map<String, List<byte[]>> hosts = new TreeMap<>();

  TextSource with(String path, String text) {
    files.put(path, text);
    return this;
  }

  TextSource host(String name, byte[]... addresses) {
    hosts.put(name, List.of(addresses));
    return this;
  }

  @Override
  public String read(String path) {
    return files.get(path);
  }

  @Override
  public List<String> expand(String pattern) {
    String regex = pattern.replace(".", "\\.").replace("*", "[^/]*").replace("?", "[^/]");
    return files.keySet().stream().filter(path -> path.matches(regex)).toList();
  }

  @Override
  public List<byte[]> resolve(String host) {
    return hosts.getOrDefault(host, List.of());
  }

  /** All but those below {@code /no}. */
  @Override
  public boolean isExecutable(String path) {
    return !path.startsWith("/no/");
  }

  @Override
  public String hostName() {
    return "proxy.test";
  }

  @Override
  public ZoneId zone() {
    return ZoneOffset.UTC;
  }

  /** As {@link #load}, with the rules. */
  public static ExaminedConfig examine(String text) {
    return Features.reader(new TextSource()).examineText("squid.conf", text);
  }

  /** Reads {@code text} without any other file. */
  public static ConfigResult load(String text) {
    return Features.reader(new TextSource()).readText("squid.conf", text);
  }
}
