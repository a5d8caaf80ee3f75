package io.loligo.server.wire;

import io.loligo.server.login.digest.DigestAlgorithm;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Answers challenges of Digest as a client does. */
final class DigestClient {
  private final String user;
  private final String password;
  private String realm;
  private String nonce;
  private DigestAlgorithm algorithm = DigestAlgorithm.MD5;
  private int count;

  /** Used in the place of the hash of the password; null: none is. */
  private String ha1;

  DigestClient(String user, String password) {
    this.user = user;
    this.password = password;
  }

  /** With a hash that was made up. */
  DigestClient with(String madeUpHa1) {
    ha1 = madeUpHa1;
    return this;
  }

  /** Takes the first challenge of Digest with {@code algorithm} in {@code response}. */
  DigestClient challengedBy(WireMessage response, DigestAlgorithm algorithm) {
    String name = response.status() == 407 ? "Proxy-Authenticate" : "WWW-Authenticate";
    this.algorithm = algorithm;
    List<String> values = response.fields(name);
    for (String value : values) {
      boolean md5 = !value.contains("algorithm=");
      if (value.startsWith("Digest ") && md5 == (algorithm == DigestAlgorithm.MD5)) {
        realm = parameter(value, "realm");
        nonce = parameter(value, "nonce");
        count = 0;
        return this;
      }
    }
    throw new AssertionError("no challenge with " + algorithm + ": " + values);
  }

  static String parameter(String challenge, String name) {
    Matcher found = Pattern.compile(name + "=\"([^\"]*)\"").matcher(challenge);
    if (!found.find()) {
      throw new AssertionError("no " + name + ": " + challenge);
    }
    return found.group(1);
  }

  /** The nonce of the last challenge. */
  String nonce() {
    return nonce;
  }

  /** The credentials for the next request. */
  String credentials(String method, String uri) {
    return credentials(method, uri, ++count);
  }

  /** The credentials for a request with this count. */
  String credentials(String method, String uri, int count) {
    String nc = String.format("%08x", count);
    String used = ha1 == null ? algorithm.ha1(user, realm, password) : ha1;
    String response =
        algorithm.hex(
            String.join(":", used, nonce, nc, "cn", "auth", algorithm.hex(method + ":" + uri)));
    return "Digest username=\""
        + user
        + "\", realm=\""
        + realm
        + "\", nonce=\""
        + nonce
        + "\", uri=\""
        + uri
        + "\", cnonce=\"cn\", nc="
        + nc
        + ", qop=auth, response=\""
        + response
        + "\""
        + (algorithm == DigestAlgorithm.MD5 ? "" : ", algorithm=" + algorithm.token());
  }

  /** The field line of {@link #credentials(String, String)}. */
  String line(String method, String uri) {
    return "Proxy-Authorization: " + credentials(method, uri);
  }
}
