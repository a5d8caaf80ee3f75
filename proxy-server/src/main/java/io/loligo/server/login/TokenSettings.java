package io.loligo.server.login;

import io.loligo.server.helper.HelperProgram;
import io.loligo.server.login.kerberos.KerberosOptions;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code auth_param negotiate}. Immutable.
 *
 * @param scheme its name in {@code auth_param}
 * @param program the program that checks tokens, and its arguments; not empty
 * @param principal whose keys are used; null: any key of the keytab
 * @param keepAlive whether the connection of the first challenge stays open
 * @param children most tokens that are checked at the same time
 * @param queue most tokens that wait; -1: as many as the check allows
 * @param kerberos the options of the program
 */
public record TokenSettings(
    String scheme,
    List<String> program,
    @Nullable String principal,
    boolean keepAlive,
    int children,
    int queue,
    KerberosOptions kerberos)
    implements SchemeSettings {
  private static final String KERBEROS = "negotiate_kerberos_auth";

  /** A copy of {@code program} is kept. */
  public TokenSettings {
    program = List.copyOf(program);
  }

  /** Whether {@code program} checks Kerberos tokens, which is done without the program. */
  static boolean isKerberos(List<String> program) {
    String path = program.get(0);
    return path.substring(path.lastIndexOf('/') + 1).equals(KERBEROS);
  }

  @Override
  public @Nullable HelperProgram helper() {
    return null;
  }

  @Override
  public @Nullable KeyExtras extras() {
    return null;
  }
}
