package io.loligo.core.config;

import io.loligo.core.acl.HostResolver;
import java.time.ZoneId;
import java.util.List;

/** Where a configuration comes from: files, names and the zone of the machine, behind one door. */
public interface ConfigSource extends HostResolver {
  /** The text of a file, or null when it cannot be read. */
  String read(String path);

  /** The files a pattern with {@code *}, {@code ?} and {@code [...]} names, sorted. */
  List<String> expand(String pattern);

  /** The name of this machine, for Via and error pages. */
  default String hostName() {
    return "localhost";
  }

  /** The zone in which {@code time} ACLs are read. */
  default ZoneId zone() {
    return ZoneId.systemDefault();
  }
}
