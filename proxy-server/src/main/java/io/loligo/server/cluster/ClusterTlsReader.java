package io.loligo.server.cluster;

import io.loligo.core.config.Directive;
import io.loligo.core.config.Line;
import io.loligo.core.config.LineReader;
import io.loligo.core.config.Option;
import io.loligo.core.config.Reading;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads {@code loligo_cluster_tls}. Confined to one thread. */
final class ClusterTlsReader implements LineReader<@Nullable ClusterTlsLine> {
  private static final List<String> NAMES = List.of("cert", "key", "ca");

  private final Reading reading;
  private @Nullable ClusterTlsLine value;
  private @Nullable Line line;

  ClusterTlsReader(Directive directive, Reading reading) {
    this.reading = reading;
  }

  @Override
  public void read(Line next) {
    if (line != null) {
      reading.report().error(next, "", "one line", "this node has one certificate");
      return;
    }
    line = next;
    Map<String, String> files = new HashMap<>();
    for (String word : next.values()) {
      Option option = Option.of(word);
      String file = option.value();
      if (!NAMES.contains(option.name()) || file == null || file.isEmpty()) {
        reading.report().error(next, word, "cert=FILE, key=FILE or ca=FILE", "");
        return;
      }
      files.put(option.name(), file);
    }
    String cert = files.get("cert");
    String key = files.get("key");
    String ca = files.get("ca");
    if (cert == null || key == null || ca == null) {
      reading.report().error(next, "", "cert=FILE key=FILE ca=FILE", "all three are required");
      return;
    }
    value = new ClusterTlsLine(cert, key, ca, next.source());
  }

  @Override
  public void end() {
    Line given = line;
    if (given != null && reading.lines(ClusterDirectives.CLUSTER).isEmpty()) {
      reading.report().error(given, "", "a line of loligo_cluster", "");
    }
  }

  @Override
  @SuppressWarnings("NullAway") // T may be null; NullAway sees no type arguments
  public @Nullable ClusterTlsLine value() {
    return value;
  }
}
