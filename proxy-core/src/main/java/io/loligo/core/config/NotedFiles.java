package io.loligo.core.config;

import java.time.ZoneId;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A source that notes the files that are read from it. Confined to one thread. */
final class NotedFiles implements ConfigSource {
  private final ConfigSource source;
  private final Set<String> paths = new LinkedHashSet<>();

  NotedFiles(ConfigSource source) {
    this.source = source;
  }

  /** The files so far, those that could not be read too, and the folders of patterns. */
  List<String> paths() {
    return List.copyOf(paths);
  }

  @Override
  public @Nullable String read(String path) {
    paths.add(path);
    return source.read(path);
  }

  @Override
  public List<String> expand(String pattern) {
    int slash = pattern.lastIndexOf('/');
    paths.add(slash < 0 ? "." : pattern.substring(0, slash + 1));
    return source.expand(pattern);
  }

  @Override
  public boolean isExecutable(String path) {
    return source.isExecutable(path);
  }

  @Override
  public String hostName() {
    return source.hostName();
  }

  @Override
  public ZoneId zone() {
    return source.zone();
  }

  @Override
  public List<byte[]> resolve(String host) {
    return source.resolve(host);
  }
}
