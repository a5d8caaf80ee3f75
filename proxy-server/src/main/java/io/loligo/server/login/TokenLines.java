package io.loligo.server.login;

import io.loligo.core.config.Line;
import io.loligo.core.config.LineReport.Verdict;
import io.loligo.core.config.Reading;
import io.loligo.server.helper.HelperProgram;
import io.loligo.server.login.kerberos.KerberosOptions;
import io.loligo.server.login.kerberos.Keytab;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads {@code auth_param negotiate} or {@code auth_param ntlm} lines. Confined to one thread. */
final class TokenLines extends SchemeLines {
  private final String scheme;
  private boolean keepAlive = true;

  /** The options of the last program, if that is done inside the proxy; null: it is not. */
  private @Nullable KerberosOptions options;

  private @Nullable String principal;

  TokenLines(String scheme, Reading reading) {
    super(scheme, reading);
    this.scheme = scheme;
  }

  @Override
  boolean own(Line line, String parameter, List<String> words) {
    switch (parameter) {
      case "keep_alive" -> keepAlive = flag(line, words);
      case "realm", "utf8" -> report().verdict(line, Verdict.WITHOUT_EFFECT, "not for " + scheme);
      default -> {
        return false;
      }
    }
    return true;
  }

  @Override
  String parameters() {
    return " or keep_alive";
  }

  @Override
  boolean isNative(List<String> words) {
    return scheme.equals("negotiate") && TokenSettings.isKerberos(words);
  }

  @Override
  boolean reservesChildren() {
    return true;
  }

  @Override
  boolean isUsable(Line line, List<String> words) {
    KerberosOptions read = KerberosOptions.of(words.subList(1, words.size()), System.getenv());
    options = read;
    if (read.wrong() != null) {
      String form = "negotiate_kerberos_auth [-k KEYTAB] [-s SERVICE] [-r] [-i] [-d]";
      report().error(line, read.wrong(), form, "");
      return false;
    }
    if (read.idle() != null) {
      String why = "the replay cache is in memory and is always used";
      report().warning(line, read.idle(), "", why);
    }
    return hasKey(line, read);
  }

  private boolean hasKey(Line line, KerberosOptions read) {
    String file = read.keytab();
    String text = file(file);
    Keytab keytab = text == null ? null : Keytab.of(text);
    if (keytab == null || keytab.principals().isEmpty()) {
      String why = text == null ? "cannot be read" : keytab == null ? "is no keytab" : "has no key";
      report().restricts(line, file, "the keytab " + why + ": " + file);
      return false;
    }
    String service = read.service();
    principal = service == null ? null : keytab.principal(service);
    if (service != null && principal == null) {
      String has = String.join(", ", keytab.principals());
      report().restricts(line, service, "the keytab has no key of " + service + ", only of " + has);
      return false;
    }
    return true;
  }

  @Override
  HelperProgram placed(HelperProgram program) {
    return program.withoutChannels();
  }

  @Override
  SchemeSettings settings() {
    KerberosOptions read = isNative(program()) ? options : null;
    return new TokenSettings(
        scheme,
        program(),
        keepAlive,
        extras(),
        read == null
            ? null
            : new TokenSettings.Kerberos(
                principal, children().number(), children().option("queue-size"), read),
        helper());
  }
}
