package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.exchange.settings.RewriteSettings;
import io.loligo.server.helper.HelperProgram;
import java.util.LinkedHashSet;
import java.util.Set;

/** The helper programs of a configuration. Stateless. */
final class HelperPrograms {
  private HelperPrograms() {}

  /** All of {@code config}; a new set. */
  static Set<HelperProgram> of(ProxyConfig config) {
    Set<HelperProgram> programs = new LinkedHashSet<>();
    RewriteSettings rewriting = RewriteSettings.of(config);
    if (rewriting != null) {
      programs.add(rewriting.program);
    }
    return programs;
  }
}
