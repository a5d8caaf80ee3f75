package io.loligo.server.cli;

import io.loligo.core.config.Directive;
import io.loligo.server.boot.Features;
import java.util.Iterator;

/** The names of all directives that take effect, for completion. Immutable. */
final class HelpNames implements Iterable<String> {
  @Override
  public Iterator<String> iterator() {
    return Features.directives().all().stream()
        .filter(Directive::isUsed)
        .map(Directive::name)
        .iterator();
  }
}
