package io.loligo.core.caching;

import io.loligo.core.message.Fields;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * A digest of the content of a request and its description (RFC 9110 section 8), for a key that
 * includes them (RFC 10008 section 2.7). Confined to one thread.
 */
public final class ContentDigest {
  /** Digits of {@link #end}. */
  public static final int DIGITS = 64;

  private static final List<String> METADATA =
      List.of("Content-Type", "Content-Encoding", "Content-Language", "Content-Location");

  private final MessageDigest digest = sha256();

  /** Begins with the fields of {@code request} that describe its content. */
  public ContentDigest(Fields request) {
    for (String name : METADATA) {
      String value = request.joined(name);
      // with the length first, so that no byte can be taken for an end
      String text = value == null ? "-" : value.length() + ":" + value;
      digest.update(text.getBytes(StandardCharsets.ISO_8859_1));
    }
  }

  /** The content continues with {@code bytes[0, length)}, borrowed. */
  public ContentDigest update(byte[] bytes, int length) {
    digest.update(bytes, 0, length);
    return this;
  }

  /** The digest in hexadecimal digits; nothing can be added any more. */
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
