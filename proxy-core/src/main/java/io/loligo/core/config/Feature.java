package io.loligo.core.config;

import io.loligo.core.acl.AclList;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A group of directives that belong together. A class beside the code that uses them declares them:
 *
 * <pre>{@code
 * public final class RoutingDirectives {
 *   public static final Feature FEATURE = new Feature("Routing");
 *
 *   public static final Setting<Boolean> PREFER_DIRECT =
 *       FEATURE.flag("prefer_direct", "off").text("Whether the origin comes before parents.");
 * }
 * }</pre>
 *
 * <p>Each method begins a {@link Declaration}; its {@code text} ends it. A feature is complete once
 * the class that declares it is initialised, and does not change after that.
 */
public final class Feature {
  private final String title;
  private final List<Setting<?>> settings = new ArrayList<>();

  /** A feature without directives. */
  public Feature(String title) {
    this.title = title;
  }

  /** The common topic of its directives. */
  public String title() {
    return title;
  }

  /** The settings declared so far, in order. */
  public List<Setting<?>> settings() {
    return Collections.unmodifiableList(settings);
  }

  <T> Setting<T> add(Setting<T> setting) {
    settings.add(setting);
    return setting;
  }

  /** {@code on} or {@code off}. */
  public Declaration<Boolean> flag(String name, String defaultText) {
    return scalar(name, ValueType.ON_OFF, defaultText, Boolean.class::cast);
  }

  /** A size in bytes. */
  public Declaration<Long> bytes(String name, String defaultText) {
    return scalar(name, ValueType.BYTES, defaultText, Long.class::cast);
  }

  /** A size in bytes; a number without a unit is kilobytes. */
  public Declaration<Long> kilobytes(String name, String defaultText) {
    return scalar(name, ValueType.KILOBYTES, defaultText, Long.class::cast);
  }

  /** A time, kept in seconds. */
  public Declaration<Long> seconds(String name, String defaultText) {
    return scalar(name, ValueType.SECONDS, defaultText, Long.class::cast);
  }

  /** A time, kept in milliseconds. */
  public Declaration<Long> millis(String name, String defaultText) {
    return scalar(name, ValueType.MILLISECONDS, defaultText, Long.class::cast);
  }

  /** An integer; null without a line and a default. */
  public Declaration<@Nullable Integer> number(String name, String defaultText) {
    return scalar(
        name,
        ValueType.INTEGER,
        defaultText,
        value -> value == null ? null : Math.toIntExact((Long) value));
  }

  /** One of {@code words}. */
  public Declaration<String> word(String name, String defaultText, String... words) {
    Declaration<String> declaration =
        scalar(name, ValueType.CHOICE, defaultText, String.class::cast);
    declaration.builder().choice(defaultText, words);
    return declaration;
  }

  /** One of the constants of {@code choices}, in lower case. */
  public <E extends Enum<E>> Declaration<E> choice(String name, E usual, Class<E> choices) {
    List<String> words = new ArrayList<>();
    for (E choice : choices.getEnumConstants()) {
      words.add(choice.name().toLowerCase(Locale.ROOT));
    }
    return word(name, usual.name().toLowerCase(Locale.ROOT), words.toArray(new String[0]))
        .as(word -> Enum.valueOf(choices, word.toUpperCase(Locale.ROOT)));
  }

  /** A word; null without a line and a default. */
  public Declaration<@Nullable String> text(String name, String defaultText) {
    return scalar(name, ValueType.TEXT, defaultText, String.class::cast);
  }

  /** The path of a file. */
  public Declaration<String> path(String name, String defaultText) {
    return scalar(name, ValueType.PATH, defaultText, String.class::cast);
  }

  /** IP addresses of all lines; empty without a line. */
  public Declaration<List<String>> addresses(String name) {
    return scalar(name, ValueType.ADDRESSES, "", ScalarReader::words);
  }

  /** A list of {@code allow} and {@code deny} lines, evaluated in this scope. */
  public Declaration<AclList> rules(String name, String defaultText, RuleScope scope) {
    return new Declaration<>(
        this,
        new DirectiveBuilder(name).rules(defaultText),
        (directive, reading) -> new RuleLines(directive, reading, scope));
  }

  /** A size in bytes that depends on the request. */
  public Declaration<SizeLimits> limits(String name, String defaultText, RuleScope scope) {
    return new Declaration<>(
        this,
        new DirectiveBuilder(name).type(ValueType.BYTES_BY_ACL, defaultText),
        (directive, reading) -> new SizeLimitLines(directive, reading, scope));
  }

  /** Lines with a grammar of their own. */
  public <T> Declaration<T> lines(
      String name, String form, Function<Reading, LineReader<T>> reader) {
    return new Declaration<>(
        this, new DirectiveBuilder(name).line(form), (directive, reading) -> reader.apply(reading));
  }

  private <T> Declaration<T> scalar(
      String name, ValueType type, String defaultText, Function<Object, T> value) {
    return new Declaration<>(
        this,
        new DirectiveBuilder(name).type(type, defaultText),
        (directive, reading) -> new ScalarReader<>(directive, reading.report(), value));
  }
}
