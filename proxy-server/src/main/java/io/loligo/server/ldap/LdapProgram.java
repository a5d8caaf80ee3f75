package io.loligo.server.ldap;

import io.loligo.server.helper.InsideProgram;
import java.util.function.LongSupplier;

/**
 * A command with the authorities of the configuration. Immutable.
 *
 * @param caFile {@link LdapDirectives#CA_FILE}
 */
public record LdapProgram(LdapCommand command, String caFile) implements InsideProgram {
  @Override
  public Answering start(LongSupplier nanos) {
    return command.on(
        new LdapSession(command.directory(), caFile.equals("none") ? null : caFile, nanos));
  }
}
