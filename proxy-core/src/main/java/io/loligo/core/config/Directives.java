package io.loligo.core.config;

import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** All directives, ours and Squid's. Immutable; any thread. */
public final class Directives {
  private static final Directives ALL = new Directives();

  private final Map<String, Directive> byName = new HashMap<>();
  private final Map<String, Directive> inOrder = new LinkedHashMap<>();

  private Directives() {
    UsedDirectives.all().forEach(this::add);
    OtherDirectives.all().forEach(this::add);
  }

  private void add(Directive directive) {
    inOrder.put(directive.name(), directive);
    put(directive.name(), directive);
    directive.aliases().forEach(alias -> put(alias, directive));
  }

  private void put(String name, Directive directive) {
    if (byName.put(name, directive) != null) {
      throw new IllegalStateException("declared twice: " + name);
    }
  }

  /** The directive of this name or alias, or null. Names are case-sensitive. */
  public static Directive named(String name) {
    return ALL.byName.get(name);
  }

  /** All, in the order of the reference page. */
  public static Collection<Directive> all() {
    return Collections.unmodifiableCollection(ALL.inOrder.values());
  }
}
