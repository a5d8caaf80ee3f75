package io.loligo.core.config;

import io.loligo.core.config.Directive.Reload;
import java.util.ArrayList;
import java.util.List;

/**
 * What becomes of a configuration that was read while another is in force. Immutable.
 *
 * @param config what can be put in force now: the new one, with the values taken at the start as
 *     they were
 * @param later one line for each value that has to wait, with its line in the file
 */
public record Reconfiguration(ProxyConfig config, List<String> later) {
  private static final String LATER = ": takes effect at the next start";

  /** {@code wanted} while {@code running} is in force. */
  public static Reconfiguration of(ProxyConfig running, ProxyConfig wanted) {
    List<Setting> effective = new ArrayList<>();
    List<String> later = new ArrayList<>();
    for (Directive directive : Directives.all()) {
      if (!directive.isUsed()) {
        continue;
      }
      List<Setting> now = of(directive, running.settings());
      List<Setting> then = of(directive, wanted.settings());
      boolean waits = directive.reload() == Reload.RESTART;
      effective.addAll(waits ? now : then);
      if (waits && !values(now).equals(values(then))) {
        compare(now, then, later);
      }
    }
    return new Reconfiguration(wanted.during(running, List.copyOf(effective)), List.copyOf(later));
  }

  private static List<Setting> of(Directive directive, List<Setting> settings) {
    return settings.stream().filter(one -> one.directive().equals(directive.name())).toList();
  }

  private static List<String> values(List<Setting> settings) {
    return settings.stream().map(Setting::value).toList();
  }

  private static void compare(List<Setting> now, List<Setting> then, List<String> later) {
    int before = later.size();
    for (Setting setting : then) {
      if (!values(now).contains(setting.value())) {
        String where = setting.source().isEmpty() ? "default" : setting.source();
        later.add(where + ": " + setting.directive() + " " + setting.value() + LATER);
      }
    }
    for (Setting setting : now) {
      if (setting.line() > 0
          && !values(then).contains(setting.value())
          && then.size() < now.size()) {
        later.add(
            setting.directive()
                + " "
                + setting.value()
                + ", which stood at "
                + setting.source()
                + ", is gone"
                + LATER);
      }
    }
    if (later.size() == before) {
      later.add(then.get(0).directive() + ": another order of its lines" + LATER);
    }
  }
}
