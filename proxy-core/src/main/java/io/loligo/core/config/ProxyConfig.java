package io.loligo.core.config;

import io.loligo.core.config.Directive.Reload;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A configuration in force: the value of every setting, checked. Immutable; any thread.
 *
 * <p>{@link #get} is a map lookup. Code on the path of a request reads final fields instead, which
 * a class of its feature fills from here once per configuration.
 */
public final class ProxyConfig {
  /** In the value of a size or a count: no limit. */
  public static final long NO_LIMIT = Values.NO_LIMIT;

  private final Directives directives;
  private final Map<Setting<?>, Object> values;
  private final List<ValueInForce> inForce;
  private final List<String> warnings;
  private final List<String> files;

  ProxyConfig(
      Directives directives,
      Map<Setting<?>, Object> values,
      List<ValueInForce> inForce,
      List<String> warnings,
      List<String> files) {
    this.directives = directives;
    this.values = values;
    this.inForce = List.copyOf(inForce);
    this.warnings = List.copyOf(warnings);
    this.files = List.copyOf(files);
  }

  /**
   * The value of {@code setting}.
   *
   * @throws IllegalArgumentException if no feature of this process declares it
   */
  @SuppressWarnings("NullAway") // null only for a T that may be null
  public <T extends @Nullable Object> T get(Setting<T> setting) {
    @SuppressWarnings("unchecked") // the reader of a Setting<T> makes a T, and with() takes one
    T value = (T) values.get(setting);
    if (value == null && !values.containsKey(setting)) {
      throw new IllegalArgumentException(setting + " is not declared by a feature of this process");
    }
    return value;
  }

  /** The same configuration with another value of {@code setting}. */
  public <T extends @Nullable Object> ProxyConfig with(Setting<T> setting, T value) {
    get(setting);
    Map<Setting<?>, Object> changed = new HashMap<>(values);
    changed.put(setting, value);
    return new ProxyConfig(directives, changed, inForce, warnings, files);
  }

  /** The same configuration, which shows {@code text} as the value of {@code setting}. */
  public ProxyConfig showing(Setting<?> setting, String text) {
    List<ValueInForce> shown = new ArrayList<>(inForce);
    shown.replaceAll(one -> one.directive().equals(setting.name()) ? one.withValue(text) : one);
    if (!isShown(setting)) {
      shown.add(placeOf(setting), new ValueInForce(setting.name(), text, "", 0, false, 0));
    }
    return new ProxyConfig(directives, values, shown, warnings, files);
  }

  private boolean isShown(Setting<?> setting) {
    return inForce.stream().anyMatch(one -> one.directive().equals(setting.name()));
  }

  /** In the order of the reference page. */
  private int placeOf(Setting<?> setting) {
    List<String> order = directives.settings().stream().map(Setting::name).toList();
    int place = 0;
    while (place < inForce.size()
        && order.indexOf(inForce.get(place).directive()) < order.indexOf(setting.name())) {
      place++;
    }
    return place;
  }

  /** The same configuration with the warnings that the start logs. */
  ProxyConfig withWarnings(List<String> told) {
    return new ProxyConfig(directives, values, inForce, told, files);
  }

  /** The same configuration, which was read from the files {@code paths}. */
  ProxyConfig readFrom(List<String> paths) {
    return new ProxyConfig(directives, values, inForce, warnings, paths);
  }

  /**
   * The files that it was read from: its own, included ones, and files that its lines name; and the
   * folders of patterns in {@code include}.
   */
  public List<String> files() {
    return files;
  }

  /**
   * The part of this configuration that can take effect while {@code running} is in force: settings
   * that need a restart keep the values of {@code running}.
   *
   * @param effective every value in force then
   */
  ProxyConfig during(ProxyConfig running, List<ValueInForce> effective) {
    Map<Setting<?>, Object> merged = new HashMap<>(values);
    for (Setting<?> setting : directives.settings()) {
      if (setting.directive().reload() == Reload.RESTART) {
        merged.put(setting, running.values.get(setting));
      }
    }
    return new ProxyConfig(directives, merged, effective, warnings, files);
  }

  /** Whether a line gives {@code setting}; else its value is the default. */
  public boolean isGiven(Setting<?> setting) {
    return inForce.stream()
        .anyMatch(one -> one.directive().equals(setting.name()) && one.line() > 0);
  }

  /** {@code file:line} of the last line of {@code setting}, or the empty string for a default. */
  public String source(Setting<?> setting) {
    return inForce.stream()
        .filter(one -> one.directive().equals(setting.name()))
        .reduce((first, last) -> last)
        .map(ValueInForce::source)
        .orElse("");
  }

  /** Every value in force with its line, secrets replaced, in the order of the reference page. */
  public List<ValueInForce> inForce() {
    return inForce;
  }

  /** The lines that the start logs. */
  public List<String> warnings() {
    return warnings;
  }

  Directives directives() {
    return directives;
  }

  /** Every value in force, secrets replaced. */
  @Override
  public String toString() {
    return inForce.toString();
  }
}
