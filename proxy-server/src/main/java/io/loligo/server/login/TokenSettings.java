package io.loligo.server.login;

import io.loligo.server.helper.HelperProgram;
import io.loligo.server.login.kerberos.KerberosOptions;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code auth_param negotiate} or {@code auth_param ntlm}. Immutable.
 *
 * @param scheme its name in {@code auth_param}
 * @param program the program that checks tokens, and its arguments; not empty
 * @param keepAlive whether the connection of the first challenge stays open
 * @param extras what the helper reads behind its question
 * @param kerberos how tokens are checked without the program; null: the helper checks them
 * @param helper the program as a helper; null: the proxy does its work
 */
public record TokenSettings(
    String scheme,
    List<String> program,
    boolean keepAlive,
    @Nullable KeyExtras extras,
    @Nullable Kerberos kerberos,
    @Nullable HelperProgram helper)
    implements SchemeSettings {
  private static final String KERBEROS = "negotiate_kerberos_auth";

  /** A copy of {@code program} is kept. */
  public TokenSettings {
    program = List.copyOf(program);
  }

  /**
   * The check of Kerberos tokens inside the proxy.
   *
   * @param principal whose keys are used; null: any key of the keytab
   * @param children most tokens that are checked at the same time
   * @param queue most tokens that wait; -1: as many as the check allows
   * @param options those of the program
   */
  public record Kerberos(
      @Nullable String principal, int children, int queue, KerberosOptions options) {}

  /** Whether {@code program} checks Kerberos tokens, which is done without the program. */
  static boolean isKerberos(List<String> program) {
    String path = program.get(0);
    return path.substring(path.lastIndexOf('/') + 1).equals(KERBEROS);
  }
}
