package io.loligo.core.config;

import io.loligo.core.config.Directive.Reload;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A directive while it is declared. {@link #text} ends the declaration. Confined to one thread.
 *
 * @param <T> type of the value
 */
public final class Declaration<T extends @Nullable Object> {
  private final Feature feature;
  private final DirectiveBuilder builder;
  private final LineReader.Factory<T> readers;

  Declaration(Feature feature, DirectiveBuilder builder, LineReader.Factory<T> readers) {
    this.feature = feature;
    this.builder = builder;
    this.readers = readers;
  }

  DirectiveBuilder builder() {
    return builder;
  }

  /** Older spellings of the name. */
  public Declaration<T> alias(String... names) {
    builder.alias(names);
    return this;
  }

  /** The form of the line after the name. */
  public Declaration<T> form(String form) {
    builder.form(form);
    return this;
  }

  /** The value without a line, for lines with a grammar of their own. */
  public Declaration<T> defaultText(String defaultText) {
    builder.defaultText = defaultText;
    return this;
  }

  /** Least and greatest number, in the unit the value is kept in. */
  public Declaration<T> range(long min, long max) {
    builder.range(min, max);
    return this;
  }

  /** The word {@code none} and {@code -1} mean no limit. */
  public Declaration<T> noLimit() {
    builder.noLimit();
    return this;
  }

  /** The word {@code none} and {@code -1} mean {@code meaning}. */
  public Declaration<T> noLimit(String meaning) {
    builder.noLimit(meaning);
    return this;
  }

  /** A number below the least one is read as that, with a warning: Squid accepts it. */
  public Declaration<T> raised() {
    builder.raised();
    return this;
  }

  /** A number above the greatest one is read as that, with a warning: Squid accepts it. */
  public Declaration<T> lowered() {
    builder.lowered();
    return this;
  }

  /** {@code word} is read as {@code other}, with a warning: Squid accepts it. */
  public Declaration<T> readAs(String word, String other) {
    builder.readAs(word, other);
    return this;
  }

  /**
   * A changed value takes effect when the process starts again.
   *
   * @param reason why no running process can take it: the reference page and the reload show it;
   *     without a period
   */
  public Declaration<T> restart(String reason) {
    builder.restart(reason);
    return this;
  }

  /** A changed value opens and closes ports. */
  public Declaration<T> listen() {
    builder.reload(Reload.LISTEN);
    return this;
  }

  /** The value must not be shown. */
  public Declaration<T> secret() {
    builder.secret();
    return this;
  }

  /** Squid has another default, and why. */
  public Declaration<T> squid(String squidDefault, String why) {
    builder.squid(squidDefault, why);
    return this;
  }

  /** The directive differs from Squid's. */
  public Declaration<T> difference(String note) {
    builder.difference(note);
    return this;
  }

  /**
   * Only words that {@code test} accepts are valid.
   *
   * @param expected the correct form, for the error message
   * @param advice what to write instead; may return an empty string
   */
  public Declaration<T> mustBe(
      String expected, Predicate<String> test, UnaryOperator<String> advice) {
    builder.check(new WordCheck(expected, test, advice));
    return this;
  }

  /** {@code conversion} converts the value. */
  public <U extends @Nullable Object> Declaration<U> as(
      Function<? super T, ? extends U> conversion) {
    return with(
        (directive, reading) -> new Converted<>(readers.open(directive, reading), conversion));
  }

  /** Without a value, it is {@code other}. */
  public Declaration<T> or(Function<Reading, T> other) {
    return with(
        (directive, reading) ->
            new Converted<>(
                readers.open(directive, reading),
                value -> value == null ? other.apply(reading) : value));
  }

  /** Another reader reads the lines. */
  public <U extends @Nullable Object> Declaration<U> with(LineReader.Factory<U> other) {
    return new Declaration<>(feature, builder, other);
  }

  /** The paragraph of the reference page; ends the declaration. */
  public Setting<T> text(String text) {
    return feature.add(new Setting<>(builder.text(text), readers));
  }

  private record Converted<T extends @Nullable Object, U extends @Nullable Object>(
      LineReader<T> reader, Function<? super T, ? extends U> conversion) implements LineReader<U> {
    @Override
    public void read(Line line) {
      reader.read(line);
    }

    @Override
    public void end() {
      reader.end();
    }

    @Override
    public U value() {
      return conversion.apply(reader.value());
    }
  }
}
