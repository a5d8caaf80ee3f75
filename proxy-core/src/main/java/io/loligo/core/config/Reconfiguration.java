package io.loligo.core.config;

import io.loligo.core.config.Directive.Reload;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A configuration that was read while another is in force. Immutable.
 *
 * @param config the part that can be put in force now: the new one, with the values that only a
 *     start can change kept
 * @param later the changes that have to wait, each with its reason
 */
public record Reconfiguration(ProxyConfig config, List<ValueChange> later) {
  /** {@code wanted} while {@code running} is in force. */
  public static Reconfiguration of(ProxyConfig running, ProxyConfig wanted) {
    Map<String, List<ValueInForce>> now = byDirective(running);
    Map<String, List<ValueInForce>> then = byDirective(wanted);
    List<ValueInForce> effective = new ArrayList<>();
    List<ValueChange> later = new ArrayList<>();
    for (Directive directive : wanted.directives().all()) {
      List<ValueInForce> before = now.getOrDefault(directive.name(), List.of());
      List<ValueInForce> after = then.getOrDefault(directive.name(), List.of());
      boolean waits = directive.reload() == Reload.RESTART;
      effective.addAll(waits ? before : after);
      if (waits) {
        ValueChange.between(directive, before, after)
            .forEach(change -> later.add(change.waiting(directive.restartReason())));
      }
    }
    return new Reconfiguration(wanted.during(running, effective), List.copyOf(later));
  }

  /** The changes that put {@code now} in force after {@code before}. */
  public static List<ValueChange> applied(ProxyConfig before, ProxyConfig now) {
    Map<String, List<ValueInForce>> old = byDirective(before);
    Map<String, List<ValueInForce>> present = byDirective(now);
    List<ValueChange> changes = new ArrayList<>();
    for (Directive directive : now.directives().all()) {
      changes.addAll(
          ValueChange.between(
              directive,
              old.getOrDefault(directive.name(), List.of()),
              present.getOrDefault(directive.name(), List.of())));
    }
    return changes;
  }

  private static Map<String, List<ValueInForce>> byDirective(ProxyConfig config) {
    return config.inForce().stream().collect(Collectors.groupingBy(ValueInForce::directive));
  }
}
