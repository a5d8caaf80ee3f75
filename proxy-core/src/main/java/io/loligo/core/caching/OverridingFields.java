package io.loligo.core.caching;

import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Request fields that tell a server of another host, scheme, path or method than the request has.
 * Servers go by them and do not say so in Vary; a client that makes one up must not choose what
 * others get, so what is answered to it is kept for requests with the same value. Stateless.
 */
final class OverridingFields {
  private static final Set<String> NAMES =
      Set.of(
          "front-end-https",
          "x-forwarded-host",
          "x-forwarded-path",
          "x-forwarded-port",
          "x-forwarded-prefix",
          "x-forwarded-proto",
          "x-forwarded-protocol",
          "x-forwarded-scheme",
          "x-forwarded-server",
          "x-forwarded-ssl",
          "x-host",
          "x-http-host-override",
          "x-http-method",
          "x-http-method-override",
          "x-method-override",
          "x-original-host",
          "x-original-url",
          "x-rewrite-url",
          "x-script-name",
          "x-url-scheme");

  private OverridingFields() {}

  /** Adds the names, in lower case, of those that {@code request} has and that are not there. */
  static void addTo(List<String> names, Fields request) {
    for (int i = 0; i < request.count(); i++) {
      String name = overriding(request, i);
      if (name != null && !names.contains(name)) {
        names.add(name);
      }
    }
  }

  /** Whether all of them that {@code request} has are among {@code names}. */
  static boolean all(Fields request, List<String> names) {
    for (int i = 0; i < request.count(); i++) {
      String name = overriding(request, i);
      if (name != null && !names.contains(name)) {
        return false;
      }
    }
    return true;
  }

  /** Whether {@code name}, in lower case, is one of them. */
  static boolean contains(String name) {
    return NAMES.contains(name) || name.equals("forwarded");
  }

  private static String overriding(Fields request, int line) {
    int id = request.id(line);
    if (id == FieldName.FORWARDED) {
      // its other parameters differ from client to client, and mean no other resource
      String value = request.value(line).toLowerCase(Locale.ROOT);
      return value.contains("host=") || value.contains("proto=") ? "forwarded" : null;
    }
    if (id != FieldName.OTHER || !mayOverride(request, line)) {
      return null;
    }
    String name = request.name(line).toLowerCase(Locale.ROOT);
    return NAMES.contains(name) ? name : null;
  }

  /** By its first letter: most requests have none, and then no string is made. */
  private static boolean mayOverride(Fields request, int line) {
    int first = request.bytes()[request.nameStart(line)] | 0x20;
    return first == 'x' || first == 'f';
  }
}
