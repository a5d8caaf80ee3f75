package io.loligo.server.admin;

import io.loligo.core.config.Directive;
import io.loligo.core.config.HostPort;
import io.loligo.core.config.Line;
import io.loligo.core.config.LineReader;
import io.loligo.core.config.Reading;
import io.loligo.core.config.ScalarReader;
import io.loligo.server.port.PortDirectives;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code loligo_admin_port}. Squid's files have no admin port: if one of their ports has the
 * default number, the admin port takes the next free one. Confined to one thread.
 */
final class AdminPortReader implements LineReader<@Nullable HostPort> {
  private final Directive directive;
  private final Reading reading;
  private final LineReader<String> words;
  private boolean given;
  private @Nullable HostPort moved;

  AdminPortReader(Directive directive, Reading reading) {
    this.directive = directive;
    this.reading = reading;
    words = ScalarReader.ofText(directive, reading);
  }

  @Override
  public void read(Line line) {
    given = true;
    words.read(line);
  }

  @Override
  public void end() {
    HostPort usual = HostPort.parse(directive.defaultText());
    assert usual != null : "the default is a place";
    Line taking = taking(usual.port());
    if (given || taking == null) {
      return;
    }
    int free = usual.port() + 1;
    while (taking(free) != null) {
      free++;
    }
    moved = new HostPort(usual.address(), free);
    reading.show(directive, moved.text(), taking);
    reading
        .report()
        .warning(
            taking, "", "", "loligo_admin_port has this number by default: it is " + moved.text());
  }

  /** The first line with this port on any address, or null. */
  private @Nullable Line taking(int number) {
    List<Line> lines = new ArrayList<>(reading.lines(PortDirectives.HTTP_PORT));
    lines.addAll(reading.lines(PortDirectives.HTTPS_PORT));
    for (Line line : lines) {
      HostPort place = line.values().isEmpty() ? null : HostPort.parse(line.values().get(0));
      if (place != null && place.port() == number) {
        return line;
      }
    }
    return null;
  }

  /** Null: off. */
  @Override
  @SuppressWarnings("NullAway") // T may be null; NullAway sees no type arguments
  public @Nullable HostPort value() {
    if (moved != null) {
      return moved;
    }
    String word = words.value();
    return word.equals("off") ? null : HostPort.parse(word);
  }
}
