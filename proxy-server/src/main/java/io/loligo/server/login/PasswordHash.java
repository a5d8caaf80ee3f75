package io.loligo.server.login;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import org.apache.commons.codec.digest.Md5Crypt;
import org.apache.commons.codec.digest.Sha2Crypt;
import org.bouncycastle.crypto.generators.OpenBSDBCrypt;

/** The hash of a password, as files of htpasswd have it. Immutable; any thread. */
final class PasswordHash {
  private enum Kind {
    BCRYPT,
    SHA256_CRYPT,
    SHA512_CRYPT,
    MD5_CRYPT,
    APR1,
    SHA1,
    MD5,
    UNUSABLE
  }

  private final Kind kind;
  private final String text;

  private PasswordHash(Kind kind, String text) {
    this.kind = kind;
    this.text = text;
  }

  /** The hash that {@code text} spells. */
  static PasswordHash of(String text) {
    return new PasswordHash(kind(text), text);
  }

  private static Kind kind(String text) {
    if (text.matches("\\$2[aby]\\$(0[4-9]|[12][0-9]|3[01])\\$[./A-Za-z0-9]{53}")) {
      return Kind.BCRYPT;
    }
    if (text.matches("\\$5\\$(rounds=[0-9]{1,9}\\$)?[^$]{1,16}\\$[./A-Za-z0-9]{43}")) {
      return Kind.SHA256_CRYPT;
    }
    if (text.matches("\\$6\\$(rounds=[0-9]{1,9}\\$)?[^$]{1,16}\\$[./A-Za-z0-9]{86}")) {
      return Kind.SHA512_CRYPT;
    }
    if (text.matches("\\$1\\$[^$]{1,8}\\$[./A-Za-z0-9]{22}")) {
      return Kind.MD5_CRYPT;
    }
    if (text.matches("\\$apr1\\$[^$]{1,8}\\$[./A-Za-z0-9]{22}")) {
      return Kind.APR1;
    }
    if (text.matches("\\{SHA\\}[+/A-Za-z0-9]{27}=")) {
      return Kind.SHA1;
    }
    return text.matches("[0-9a-f]{32}") ? Kind.MD5 : Kind.UNUSABLE;
  }

  /** Whether a password can match: old DES hashes, plain text and unknown kinds never do. */
  boolean isUsable() {
    return kind != Kind.UNUSABLE;
  }

  /**
   * Whether this is the hash of {@code password}, whose bytes are overwritten. Takes CPU on
   * purpose: 50 ms and more for bcrypt.
   */
  boolean matches(byte[] password) {
    byte[] given = text.getBytes(StandardCharsets.ISO_8859_1);
    return switch (kind) {
      case BCRYPT -> OpenBSDBCrypt.checkPassword(text, password);
      case SHA256_CRYPT -> isEqual(given, Sha2Crypt.sha256Crypt(password, text));
      case SHA512_CRYPT -> isEqual(given, Sha2Crypt.sha512Crypt(password, text));
      case MD5_CRYPT -> isEqual(given, Md5Crypt.md5Crypt(password, text));
      case APR1 -> isEqual(given, Md5Crypt.apr1Crypt(password, text));
      case SHA1 ->
          isEqual(given, "{SHA}" + Base64.getEncoder().encodeToString(digest("SHA-1", password)));
      case MD5 -> isEqual(given, HexFormat.of().formatHex(digest("MD5", password)));
      case UNUSABLE -> false;
    };
  }

  private static boolean isEqual(byte[] given, String made) {
    return MessageDigest.isEqual(given, made.getBytes(StandardCharsets.ISO_8859_1));
  }

  private static byte[] digest(String algorithm, byte[] bytes) {
    try {
      return MessageDigest.getInstance(algorithm).digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(algorithm + " is in every JDK", e);
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof PasswordHash hash && hash.text.equals(text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  /** The kind only. */
  @Override
  public String toString() {
    return kind.name();
  }
}
