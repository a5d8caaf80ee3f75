package io.loligo.core.caching;

import io.loligo.core.message.Ascii;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;

/**
 * Request fields that tell a server of another host, scheme, path or method than the request has,
 * or of another form of the response. Servers use them without naming them in Vary. A client that
 * sends such a field must not determine the response of others, so the response to it is stored for
 * requests with the same value only. Stateless.
 *
 * <p>Servers that pass fields on as variables of an environment (RFC 3875 section 4.1.18) cannot
 * tell {@code _} from {@code -}: neither can this class.
 *
 * <p>A name is looked up by its length and two of its bytes, so that a request without any of
 * these, like nearly all requests, costs no string and no allocation.
 */
final class OverridingFields {
  private static final String[] NAMES = {
    // the host
    "fastly-host",
    "proxy-host",
    "x-backend-host",
    "x-envoy-original-host",
    "x-forward-host",
    "x-forwarded-host",
    "x-forwarded-hostname",
    "x-forwarded-server",
    "x-host",
    "x-host-override",
    "x-http-host",
    "x-http-host-override",
    "x-ms-forwarded-host",
    "x-original-host",
    "x-override-host",
    "x-proxy-host",
    "x-rewrite-host",
    "x-vercel-forwarded-host",
    // the scheme and the port
    "cf-visitor",
    "cloudfront-forwarded-proto",
    "front-end-https",
    "x-client-scheme",
    "x-forward-proto",
    "x-forwarded-port",
    "x-forwarded-proto",
    "x-forwarded-proto-version",
    "x-forwarded-protocol",
    "x-forwarded-scheme",
    "x-forwarded-ssl",
    "x-https",
    "x-proto",
    "x-scheme",
    "x-url-scheme",
    "x-vercel-forwarded-proto",
    // path and query
    "base-url",
    "http-url",
    "proxy-url",
    "request-uri",
    "uri",
    "url",
    "x-amz-website-redirect-location",
    "x-envoy-original-path",
    "x-forward-uri",
    "x-forwarded-path",
    "x-forwarded-prefix",
    "x-forwarded-uri",
    "x-http-destinationurl",
    "x-http-path-override",
    "x-http-url",
    "x-original-uri",
    "x-original-url",
    "x-override-url",
    "x-proxy-url",
    "x-replaced-path",
    "x-request-uri",
    "x-rewrite-uri",
    "x-rewrite-url",
    "x-script-name",
    "x-uri",
    "x-url",
    "x-waws-unencoded-url",
    // the method
    "x-http-method",
    "x-http-method-override",
    "x-method",
    "x-method-override",
    // the form of the response: htmx, Inertia, Next.js, Nuxt, PJAX, React Router, WebDAV of IIS
    "hx-boosted",
    "hx-request",
    "hx-target",
    "next-router-prefetch",
    "next-router-segment-prefetch",
    "next-router-state-tree",
    "next-url",
    "rsc",
    "translate",
    "x-inertia",
    "x-invoke-error",
    "x-invoke-output",
    "x-invoke-path",
    "x-invoke-query",
    "x-invoke-status",
    "x-matched-path",
    "x-middleware-invoke",
    "x-middleware-prefetch",
    "x-middleware-rewrite",
    "x-middleware-subrequest",
    "x-nextjs-data",
    "x-now-route-matches",
    "x-nuxt-no-ssr",
    "x-pjax",
    "x-react-router-prerender-data",
    "x-react-router-spa-mode",
    "x-wap-profile"
  };

  private static final int SLOTS = 1_024;
  private static final byte[][] LOWER = new byte[NAMES.length][];
  // one more than the place in LOWER; 0: none
  private static final byte[] SLOT = new byte[SLOTS];
  private static final byte[] NEXT = new byte[NAMES.length];

  static {
    for (int i = 0; i < NAMES.length; i++) {
      LOWER[i] = NAMES[i].getBytes(StandardCharsets.US_ASCII);
      int slot = slot(LOWER[i], 0, LOWER[i].length);
      NEXT[i] = SLOT[slot];
      SLOT[slot] = (byte) (i + 1);
    }
  }

  private OverridingFields() {}

  /**
   * Adds the names, in lower case, of those that {@code request} has and that are missing there.
   */
  static void addTo(Set<String> names, Fields request) {
    for (int i = 0; i < request.count(); i++) {
      if (overrides(request, i)) {
        names.add(request.lowerName(i));
      }
    }
  }

  /** Whether {@code names} has all of them that {@code request} has. */
  static boolean all(Fields request, List<String> names) {
    for (int i = 0; i < request.count(); i++) {
      if (overrides(request, i) && !names.contains(request.lowerName(i))) {
        return false;
      }
    }
    return true;
  }

  /** Whether {@code name}, in any case, is one of them. */
  static boolean contains(String name) {
    byte[] bytes = name.getBytes(StandardCharsets.ISO_8859_1);
    return isNamed(bytes, 0, bytes.length) || name.equalsIgnoreCase("forwarded");
  }

  private static boolean overrides(Fields request, int i) {
    return switch (request.id(i)) {
      case FieldName.OTHER -> isNamed(request.bytes(), request.nameStart(i), request.nameLength(i));
      // its other parameters differ from client to client, and do not select another resource
      case FieldName.FORWARDED ->
          hasParameter(request, i, "host") || hasParameter(request, i, "proto");
      default -> false;
    };
  }

  /** Whether the value has {@code name}, in any case, followed by an equals sign. */
  private static boolean hasParameter(Fields request, int i, String name) {
    byte[] bytes = request.bytes();
    int end = request.valueEnd(i);
    for (int at = request.valueStart(i); at + name.length() < end; at++) {
      if (Ascii.equalsIgnoreCase(bytes, at, at + name.length(), name)) {
        int behind = at + name.length();
        while (behind < end && Ascii.isBlank(bytes[behind])) {
          behind++;
        }
        if (behind < end && bytes[behind] == '=') {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean isNamed(byte[] bytes, int start, int length) {
    if (length == 0) {
      return false;
    }
    for (int at = SLOT[slot(bytes, start, length)]; at > 0; at = NEXT[at - 1]) {
      if (matches(LOWER[at - 1], bytes, start, length)) {
        return true;
      }
    }
    return false;
  }

  private static int slot(byte[] bytes, int start, int length) {
    int last = normal(bytes[start + length - 1]);
    int middle = normal(bytes[start + length / 2]);
    return (last * 31 + middle * 7 + length * 67) & (SLOTS - 1);
  }

  private static boolean matches(byte[] lower, byte[] bytes, int start, int length) {
    if (lower.length != length) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (lower[i] != normal(bytes[start + i])) {
        return false;
      }
    }
    return true;
  }

  private static byte normal(byte b) {
    return b == '_' ? (byte) '-' : Ascii.lower(b);
  }
}
