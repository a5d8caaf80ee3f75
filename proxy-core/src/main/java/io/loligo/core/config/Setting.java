package io.loligo.core.config;

import org.jspecify.annotations.Nullable;

/**
 * The one declaration of a directive that takes effect: how it is read, and the type of its value,
 * {@link ProxyConfig#get}. A feature declares it as a constant, see {@link Feature}. Immutable;
 * equal to itself only.
 *
 * @param <T> type of the value
 */
public final class Setting<T extends @Nullable Object> {
  private final Directive directive;
  private final LineReader.Factory<T> readers;

  Setting(Directive directive, LineReader.Factory<T> readers) {
    this.directive = directive;
    this.readers = readers;
  }

  /** Name of the directive. */
  public String name() {
    return directive.name();
  }

  /** Its description. */
  public Directive directive() {
    return directive;
  }

  LineReader<T> reader(Reading reading) {
    return readers.open(directive, reading);
  }

  /** The name of the directive. */
  @Override
  public String toString() {
    return directive.name();
  }
}
