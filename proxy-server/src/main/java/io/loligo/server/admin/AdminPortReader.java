package io.loligo.server.admin;

import io.loligo.core.config.Directive;
import io.loligo.core.config.HostPort;
import io.loligo.core.config.Line;
import io.loligo.core.config.LineReader;
import io.loligo.core.config.Reading;
import io.loligo.server.port.HttpPort;
import io.loligo.server.port.PortDirectives;
import io.loligo.server.port.PortTls;
import io.loligo.server.port.PortTlsWords;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code loligo_admin_port}: a place, and the words of TLS. Squid's files have no admin port:
 * if one of their ports has the default number, the admin port takes the next free one. Confined to
 * one thread.
 */
final class AdminPortReader implements LineReader<@Nullable HttpPort> {
  /** The name of the port. */
  static final String NAME = "loligo_admin_port";

  private final Directive directive;
  private final Reading reading;
  private @Nullable Line line;
  private @Nullable HostPort place;
  private @Nullable PortTls tls;

  AdminPortReader(Directive directive, Reading reading) {
    this.directive = directive;
    this.reading = reading;
  }

  @Override
  public void read(Line next) {
    line = next;
    place = null;
    tls = null;
    List<String> values = next.values();
    String word = values.isEmpty() ? "" : values.get(0);
    boolean off = word.equals("off");
    HostPort parsed = off ? null : HostPort.parse(word);
    if (parsed == null && !off) {
      reading.report().error(next, word, "PORT, ADDRESS:PORT or off", "");
      return;
    }
    PortTlsWords words = new PortTlsWords(next, reading.report());
    for (int i = 1; i < values.size(); i++) {
      if (off || !words.take(values.get(i))) {
        reading.report().error(next, values.get(i), "an option about TLS of https_port", "");
        return;
      }
    }
    place = parsed;
    tls = words.given() ? words.tls() : null;
  }

  @Override
  public void end() {
    if (line != null) {
      warnBeyondLoopback(line);
    } else {
      move();
    }
  }

  private void warnBeyondLoopback(Line given) {
    HostPort at = place;
    if (at == null || isLocal(at)) {
      return;
    }
    if (tls == null) {
      reading
          .report()
          .warning(
              given,
              at.text(),
              "tls-cert=FILE beyond loopback",
              "in clear text, the secret and all pages can be read on the way");
    }
    if (reading.value(AdminDirectives.ADMIN_SECRET) == null) {
      reading
          .report()
          .warning(given, at.text(), "loligo_admin_secret", "only /health answers without it");
    }
  }

  private static boolean isLocal(HostPort place) {
    return place.address().isEmpty() || AdminAccess.isLoopback(place.address());
  }

  private void move() {
    HostPort usual = HostPort.parse(directive.defaultText());
    assert usual != null : "the default is a place";
    Line taking = taking(usual.port());
    if (taking == null) {
      place = usual;
      return;
    }
    int free = usual.port() + 1;
    while (taking(free) != null) {
      free++;
    }
    HostPort moved = new HostPort(usual.address(), free);
    place = moved;
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
  public @Nullable HttpPort value() {
    HostPort at = place;
    return at == null
        ? null
        : HttpPort.at(at.address(), at.port())
            .name(NAME)
            .tls(tls)
            .source(line == null ? "" : line.source())
            .build();
  }
}
