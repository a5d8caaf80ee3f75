package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.exchange.settings.programs.ExternalAclDirectives;
import io.loligo.server.exchange.settings.programs.ExternalAclType;
import io.loligo.server.exchange.settings.programs.RewriteSettings;
import io.loligo.server.exchange.settings.programs.StoreIdSettings;
import io.loligo.server.helper.HelperProgram;
import io.loligo.server.login.LoginDirectives;
import java.util.LinkedHashSet;
import java.util.Set;

/** The helper programs of a configuration. Stateless. */
final class HelperPrograms {
  private HelperPrograms() {}

  /** All of {@code config}; a new set. */
  static Set<HelperProgram> of(ProxyConfig config) {
    Set<HelperProgram> programs = new LinkedHashSet<>();
    for (ExternalAclType type : config.get(ExternalAclDirectives.EXTERNAL_ACL_TYPE).types()) {
      programs.add(type.terms(config).program());
    }
    programs.addAll(config.get(LoginDirectives.AUTH_PARAM).helpers());
    RewriteSettings rewriting = RewriteSettings.of(config);
    if (rewriting != null) {
      programs.add(rewriting.program.helper());
    }
    StoreIdSettings naming = StoreIdSettings.of(config);
    if (naming != null) {
      programs.add(naming.program.helper());
    }
    return programs;
  }
}
