package io.loligo.core.config;

import io.loligo.core.acl.HostResolver;
import java.time.ZoneId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The source of a configuration: files, names and the zone of the machine. */
public interface ConfigSource extends HostResolver {
  /** The text of a file, or null if it cannot be read. */
  @Nullable String read(String path);

  /** The files that match a pattern with {@code *}, {@code ?} and {@code [...]}, sorted. */
  List<String> expand(String pattern);

  /** Whether the file of {@code path} is a program that can be started. */
  default boolean isExecutable(String path) {
    return true;
  }

  /** The name of this machine, for Via and error pages. */
  default String hostName() {
    return "localhost";
  }

  /** The zone in which {@code time} ACLs are read. */
  default ZoneId zone() {
    return ZoneId.systemDefault();
  }
}
