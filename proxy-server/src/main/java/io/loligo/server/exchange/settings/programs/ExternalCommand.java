package io.loligo.server.exchange.settings.programs;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.helper.InsideProgram;
import io.loligo.server.ldap.LdapCommand;
import io.loligo.server.ldap.LdapDirectives;
import io.loligo.server.ldap.LdapProgram;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The command of an {@code external_acl_type}. Immutable.
 *
 * @param words the program and its arguments
 * @param directory the same as a command that runs inside the proxy; null: it is a child process
 */
public record ExternalCommand(List<String> words, @Nullable LdapCommand directory) {
  /** What runs in the place of child processes under {@code config}; null: nothing. */
  @Nullable InsideProgram inside(ProxyConfig config) {
    return directory == null
        ? null
        : new LdapProgram(directory, config.get(LdapDirectives.CA_FILE));
  }
}
