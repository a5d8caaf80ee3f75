package io.loligo.core.config;

import io.loligo.core.config.Directive.Reload;
import java.util.ArrayList;
import java.util.List;

/**
 * A configuration that was read while another is in force. Immutable.
 *
 * @param config the part that can be put in force now: the new one, with the values that only a
 *     start can change kept
 * @param later one line for each value that has to wait, with its line in the file
 */
public record Reconfiguration(ProxyConfig config, List<String> later) {
  private static final String LATER = ": takes effect at the next start";

  /** {@code wanted} while {@code running} is in force. */
  public static Reconfiguration of(ProxyConfig running, ProxyConfig wanted) {
    List<ValueInForce> effective = new ArrayList<>();
    List<String> later = new ArrayList<>();
    for (Directive directive : wanted.directives().all()) {
      if (!directive.isUsed()) {
        continue;
      }
      List<ValueInForce> now = of(directive, running.inForce());
      List<ValueInForce> then = of(directive, wanted.inForce());
      boolean waits = directive.reload() == Reload.RESTART;
      effective.addAll(waits ? now : then);
      if (waits && !values(now).equals(values(then))) {
        compare(now, then, later);
      }
    }
    return new Reconfiguration(wanted.during(running, List.copyOf(effective)), List.copyOf(later));
  }

  private static List<ValueInForce> of(Directive directive, List<ValueInForce> values) {
    return values.stream().filter(one -> one.directive().equals(directive.name())).toList();
  }

  private static List<String> values(List<ValueInForce> values) {
    return values.stream().map(ValueInForce::value).toList();
  }

  private static void compare(List<ValueInForce> now, List<ValueInForce> then, List<String> later) {
    int before = later.size();
    for (ValueInForce value : then) {
      if (!values(now).contains(value.value())) {
        String where = value.source().isEmpty() ? "default" : value.source();
        later.add(where + ": " + value.directive() + " " + value.value() + LATER);
      }
    }
    for (ValueInForce value : now) {
      if (value.line() > 0 && !values(then).contains(value.value()) && then.size() < now.size()) {
        later.add(
            value.directive()
                + " "
                + value.value()
                + ", which stood at "
                + value.source()
                + ", is gone"
                + LATER);
      }
    }
    if (later.size() == before) {
      later.add(then.get(0).directive() + ": another order of its lines" + LATER);
    }
  }
}
