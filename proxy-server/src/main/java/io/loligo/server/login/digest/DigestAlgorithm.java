package io.loligo.server.login.digest;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** A hash of Digest (RFC 7616 section 6.1), the better one first. Immutable. */
public enum DigestAlgorithm {
  /** SHA-256. */
  SHA_256("SHA-256"),
  /** MD5, for clients and files that know no other. */
  MD5("MD5");

  private final String token;

  DigestAlgorithm(String token) {
    this.token = token;
  }

  /** Its name in {@code algorithm=}, which is its name in Java, too. */
  public String token() {
    return token;
  }

  /** The hexadecimal digits of a hash. */
  public int digits() {
    return this == MD5 ? 32 : 64;
  }

  /** The algorithm named {@code token}, in any case; null: there is none. */
  public static @Nullable DigestAlgorithm named(String token) {
    for (DigestAlgorithm one : values()) {
      if (one.token.equalsIgnoreCase(token)) {
        return one;
      }
    }
    return null;
  }

  /** The algorithm of a hash with so many hexadecimal digits; null: there is none. */
  static @Nullable DigestAlgorithm ofDigits(int digits) {
    return digits == 32 ? MD5 : digits == 64 ? SHA_256 : null;
  }

  /** The hash of {@code text}, each character one byte, in hexadecimal digits. */
  public String hex(String text) {
    try {
      byte[] hash = MessageDigest.getInstance(token).digest(text.getBytes(ISO_8859_1));
      return HexFormat.of().formatHex(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(token + " is in every JDK", e);
    }
  }

  /** HA1: the hash of user, realm and password (RFC 7616 section 3.4.2). */
  public String ha1(String user, String realm, String password) {
    return hex(user + ":" + realm + ":" + password);
  }
}
