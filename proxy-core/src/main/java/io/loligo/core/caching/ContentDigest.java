package io.loligo.core.caching;

import io.loligo.core.message.Fields;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * Takes in the content of a request and what is said of it (RFC 9110 section 8), for a key that has
 * them in it (RFC 10008 section 2.7). Confined to one thread.
 */
public final class ContentDigest {
  /** Digits of {@link #end}. */
  public static final int DIGITS = 64;

  private static final List<String> METADATA =
      List.of("Content-Type", "Content-Encoding", "Content-Language", "Content-Location");

  private final MessageDigest digest = sha256();

  /** Begins with what {@code request} says of its content. */
  public ContentDigest(Fields request) {
    for (String name : METADATA) {
      String value = request.joined(name);
      // the length before it: no byte can be taken for an end
      String text = value == null ? "-" : value.length() + ":" + value;
      digest.update(text.getBytes(StandardCharsets.ISO_8859_1));
    }
  }

  /** The content goes on with {@code octets[0, length)}, borrowed. */
  public ContentDigest update(byte[] octets, int length) {
    digest.update(octets, 0, length);
    return this;
  }

  /** All of it, in hexadecimal digits; nothing can be added any more. */
  public String end() {
    return HexFormat.of().formatHex(digest.digest());
  }

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java has it
    }
  }
}
