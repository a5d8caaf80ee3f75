package io.loligo.server.upstream;

import io.loligo.core.config.Line;
import io.loligo.core.config.Reading;
import io.loligo.core.message.IpText;
import io.loligo.server.login.kerberos.KerberosOptions;
import io.loligo.server.login.kerberos.Keytab;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The options of a {@code cache_peer} line about Kerberos. Confined to one thread. */
final class KerberosWords {
  private static final String LOGIN = "NEGOTIATE";

  private final Line line;
  private final Reading reading;
  private final String host;
  private @Nullable String login;
  private boolean ticketCache;

  KerberosWords(Line line, Reading reading, String host) {
    this.line = line;
    this.reading = reading;
    this.host = host;
  }

  /** Takes {@code login=NEGOTIATE} or {@code login=NEGOTIATE:PRINCIPAL}. */
  void login(String value) {
    login = value;
  }

  /** Takes {@code auth-no-keytab}. */
  void withoutKeytab() {
    ticketCache = true;
  }

  /** What the options say; null: no login by Kerberos, or it is impossible, which is reported. */
  @Nullable PeerKerberos read() {
    String value = login;
    if (value == null) {
      if (ticketCache) {
        reading.report().warning(line, "auth-no-keytab", LOGIN, "no effect without login=" + LOGIN);
      }
      return null;
    }
    if (!value.equals(LOGIN) && !value.startsWith(LOGIN + ":")) {
      reading.report().error(line, value, "login=NEGOTIATE or login=NEGOTIATE:PRINCIPAL", "");
      return null;
    }
    if (IpText.parse(host) != null) {
      refuse("Kerberos needs the name of the peer, not its address: " + host);
      return null;
    }
    String principal =
        value.length() > LOGIN.length() + 1 ? value.substring(LOGIN.length() + 1) : null;
    return ticketCache ? new PeerKerberos(host, null, principal) : byKeytab(principal);
  }

  private @Nullable PeerKerberos byKeytab(@Nullable String principal) {
    String named = reading.value(PeerDirectives.PEER_KEYTAB);
    String file = named == null ? KerberosOptions.of(List.of(), System.getenv()).keytab() : named;
    String text = reading.source().read(file);
    Keytab keytab = text == null ? null : Keytab.of(text);
    if (keytab == null || keytab.principals().isEmpty()) {
      String why = text == null ? "cannot be read" : keytab == null ? "is no keytab" : "has no key";
      refuse("the keytab " + why + ": " + file + " (see loligo_peer_keytab, auth-no-keytab)");
      return null;
    }
    String own =
        principal == null ? keytab.principals().iterator().next() : keytab.principal(principal);
    if (own == null) {
      String has = String.join(", ", keytab.principals());
      refuse("the keytab " + file + " has no key of " + principal + ", only of " + has);
      return null;
    }
    return new PeerKerberos(host, file, own);
  }

  private void refuse(String why) {
    reading.report().restricts(line, "login=" + LOGIN, why);
  }
}
