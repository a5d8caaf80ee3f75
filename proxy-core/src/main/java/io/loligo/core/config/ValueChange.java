package io.loligo.core.config;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A difference between two configurations, in the words of their lines. Immutable.
 *
 * @param directive name of the directive
 * @param before the former value, secrets replaced; null: a line was added
 * @param after the new value, secrets replaced; null: a line was removed
 * @param source {@code file:line} of the new value, or of the former one if the line is gone;
 *     empty: the default
 * @param restart why it has to wait for the next start; empty: it is in force
 */
public record ValueChange(
    String directive,
    @Nullable String before,
    @Nullable String after,
    String source,
    String restart) {
  /** Characters of a value in {@link #text}, at most: {@value}. */
  static final int MAX_VALUE = 200;

  private static final String ORDER = "another order of its lines";
  private static final String HIDDEN = "another value, which is not shown";

  /** The changes of {@code directive} from {@code before} to {@code after}, in order. */
  static List<ValueChange> between(
      Directive directive, List<ValueInForce> before, List<ValueInForce> after) {
    List<ValueInForce> gone = without(before, after);
    List<ValueInForce> come = without(after, before);
    List<ValueChange> changes = new ArrayList<>();
    if (gone.isEmpty() && come.isEmpty()) {
      if (!texts(before).equals(texts(after))) {
        changes.add(of(directive, "", ORDER, after.isEmpty() ? "" : after.get(0).source()));
      }
    } else if (gone.size() == 1 && come.size() == 1) {
      boolean same = gone.get(0).value().equals(come.get(0).value());
      changes.add(
          of(
              directive,
              gone.get(0).value(),
              same ? HIDDEN : come.get(0).value(),
              come.get(0).source()));
    } else {
      gone.forEach(one -> changes.add(of(directive, one.value(), null, one.source())));
      come.forEach(one -> changes.add(of(directive, null, one.value(), one.source())));
    }
    return changes;
  }

  private static ValueChange of(
      Directive directive, @Nullable String before, @Nullable String after, String source) {
    return new ValueChange(directive.name(), before, after, source, "");
  }

  /** Those of {@code values} that {@code others} lacks; equal ones count one by one. */
  private static List<ValueInForce> without(List<ValueInForce> values, List<ValueInForce> others) {
    List<String> left = new ArrayList<>(texts(others));
    return values.stream().filter(one -> !left.remove(one.compared())).toList();
  }

  private static List<String> texts(List<ValueInForce> values) {
    return values.stream().map(ValueInForce::compared).toList();
  }

  /** The same, which waits for the next start. */
  ValueChange waiting(String why) {
    return new ValueChange(directive, before, after, source, why);
  }

  /** One line, bounded in length. */
  public String text() {
    StringBuilder text = new StringBuilder();
    if (before == null) {
      text.append("+ ").append(directive).append(' ').append(shown(after));
    } else if (after == null) {
      text.append("- ").append(directive).append(' ').append(shown(before));
    } else if (after.equals(ORDER) || after.equals(HIDDEN)) {
      text.append(directive).append(": ").append(after);
    } else {
      text.append(directive).append(' ').append(shown(before)).append(" -> ").append(shown(after));
    }
    text.append(" (").append(after == null ? "was " : "");
    text.append(source.isEmpty() ? "default" : source).append(')');
    return restart.isEmpty() ? text.toString() : text + ": needs a restart: " + restart;
  }

  private static String shown(@Nullable String value) {
    String some = value == null ? "" : value;
    return some.length() <= MAX_VALUE ? some : some.substring(0, MAX_VALUE) + "...";
  }
}
