package io.loligo.server.login.kerberos;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The options of {@code negotiate_kerberos_auth}. Immutable.
 *
 * @param keytab the path of the keytab
 * @param service {@code -s}: the name of the service; null: any in the keytab
 * @param stripsRealm {@code -r}: whether the name of a user has no realm
 * @param wrong an argument that is no option; null: none
 * @param idle an option without effect here; null: none
 */
public record KerberosOptions(
    String keytab,
    @Nullable String service,
    boolean stripsRealm,
    @Nullable String wrong,
    @Nullable String idle) {
  private static final String USUAL_KEYTAB = "/etc/krb5.keytab";
  private static final String ANY_NAME = "GSS_C_NO_NAME";
  private static final String FILE = "FILE:";

  /**
   * Reads {@code words} behind the program.
   *
   * @param environment that of this process: {@code KRB5_KTNAME} names a keytab
   */
  public static KerberosOptions of(List<String> words, Map<String, String> environment) {
    String keytab = environment.getOrDefault("KRB5_KTNAME", USUAL_KEYTAB);
    String service = null;
    boolean strips = false;
    String wrong = null;
    String idle = null;
    for (int i = 0; i < words.size(); i++) {
      String word = words.get(i);
      boolean isOption = word.length() > 1 && word.charAt(0) == '-';
      wrong = isOption ? wrong : word;
      for (int at = 1; isOption && at < word.length(); at++) {
        char option = word.charAt(at);
        if ("skct".indexOf(option) < 0) {
          strips |= option == 'r';
          wrong = "rid".indexOf(option) < 0 ? "-" + option : wrong;
          continue;
        }
        String value = word.substring(at + 1);
        if (value.isEmpty() && i + 1 < words.size()) {
          i++;
          value = words.get(i);
        }
        wrong = value.isEmpty() ? "-" + option : wrong;
        keytab = option == 'k' ? value : keytab;
        service = option == 's' ? value : service;
        idle = option == 'c' || option == 't' ? "-" + option : idle;
        break;
      }
    }
    return new KerberosOptions(
        keytab.startsWith(FILE) ? keytab.substring(FILE.length()) : keytab,
        ANY_NAME.equals(service) ? null : service,
        strips,
        wrong,
        idle);
  }
}
