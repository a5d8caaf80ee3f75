package io.loligo.server.upstream.tls;

import io.loligo.core.message.IpText;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

/**
 * The servers that a certificate is for: the names and addresses of its subjectAltName (RFC 9110
 * section 4.3.4). The common name does not count (RFC 9525 section 2). Immutable.
 *
 * @param names in lower case; the first label may be {@code *}
 * @param addresses as written
 */
public record ServerNames(List<String> names, List<String> addresses) {
  private static final int DNS_NAME = 2;
  private static final int ADDRESS = 7;

  /** Those of {@code certificate}; none if they cannot be read. */
  public static ServerNames of(X509Certificate certificate) {
    List<String> names = new ArrayList<>();
    List<String> addresses = new ArrayList<>();
    try {
      Collection<List<?>> alternatives = certificate.getSubjectAlternativeNames();
      if (alternatives != null) {
        for (List<?> alternative : alternatives) {
          int type = (Integer) alternative.get(0);
          if (type == DNS_NAME) {
            names.add(alternative.get(1).toString().toLowerCase(Locale.ROOT));
          } else if (type == ADDRESS) {
            addresses.add(alternative.get(1).toString());
          }
        }
      }
    } catch (CertificateParsingException e) {
      return new ServerNames(List.of(), List.of());
    }
    return new ServerNames(List.copyOf(names), List.copyOf(addresses));
  }

  /**
   * Whether {@code server} is one of them.
   *
   * @param server a name or an address without brackets, in lower case
   */
  public boolean include(String server) {
    byte[] address = IpText.parse(server);
    if (address != null) {
      return addresses.stream().anyMatch(one -> Arrays.equals(IpText.parse(one), address));
    }
    String name = server.endsWith(".") ? server.substring(0, server.length() - 1) : server;
    return names.stream().anyMatch(pattern -> matches(pattern, name));
  }

  /** A star is a whole first label, with at least two labels after it (RFC 9525 section 6.3). */
  private static boolean matches(String pattern, String name) {
    if (!pattern.startsWith("*.")) {
      return pattern.equals(name);
    }
    int dot = name.indexOf('.');
    String rest = pattern.substring(1);
    return dot > 0 && rest.indexOf('.', 1) > 0 && name.substring(dot).equals(rest);
  }

  /** All of them, at most 200 characters. */
  @Override
  public String toString() {
    List<String> all = new ArrayList<>(names);
    all.addAll(addresses);
    String text = all.isEmpty() ? "none" : String.join(", ", all);
    return text.length() > 200 ? text.substring(0, 200) + "..." : text;
  }
}
