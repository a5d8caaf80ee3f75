package io.loligo.core.config;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All directives of a process: those that its features declare, and those of Squid that have no
 * effect here. Immutable; any thread.
 */
public final class Directives {
  private final List<Feature> features;
  private final List<Setting<?>> settings = new ArrayList<>();
  private final Map<String, Directive> byName = new HashMap<>();
  private final Map<String, Directive> inOrder = new LinkedHashMap<>();
  private final Map<String, Setting<?>> settingOf = new HashMap<>();

  /** The directives of {@code features}, in their order, then the other ones of Squid. */
  public Directives(List<Feature> features) {
    this.features = List.copyOf(features);
    for (Feature feature : features) {
      for (Setting<?> setting : feature.settings()) {
        settings.add(setting);
        settingOf.put(setting.name(), setting);
        add(setting.directive());
      }
    }
    UnusedDirectives.all().forEach(this::add);
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
  public @Nullable Directive named(String name) {
    return byName.get(name);
  }

  /** All directives, in the order of the reference page. */
  public Collection<Directive> all() {
    return Collections.unmodifiableCollection(inOrder.values());
  }

  /** The features, in order. */
  public List<Feature> features() {
    return features;
  }

  /** The settings that features declare, in order. */
  List<Setting<?>> settings() {
    return settings;
  }

  /** The setting that {@code directive} declares; null if it has no effect. */
  @Nullable Setting<?> setting(Directive directive) {
    return settingOf.get(directive.name());
  }
}
