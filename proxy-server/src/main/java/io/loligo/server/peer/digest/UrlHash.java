package io.loligo.server.peer.digest;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The MD5 of GET and a URL: the name of a URL in digests. Confined to one thread. */
public final class UrlHash {
  private static final byte GET = 1;
  private static final int BYTES = 16;

  private final ByteBuffer words = ByteBuffer.allocate(BYTES);
  private final MessageDigest md5;

  /** Of no URL yet. */
  public UrlHash() {
    try {
      md5 = MessageDigest.getInstance("MD5");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has MD5", e);
    }
  }

  /** This, of {@code url} from now on. */
  public UrlHash of(String url) {
    md5.update(GET);
    md5.update(url.getBytes(StandardCharsets.ISO_8859_1));
    try {
      md5.digest(words.array(), 0, BYTES);
    } catch (DigestException e) {
      throw new AssertionError("MD5 has " + BYTES + " bytes", e);
    }
    return this;
  }

  /** Its 32 bits of this number, 0 to 3, without sign. */
  long word(int number) {
    return Integer.toUnsignedLong(words.getInt(Integer.BYTES * number));
  }
}
