package io.loligo.server.login;

import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import javax.crypto.ShortBufferException;
import org.jspecify.annotations.Nullable;

/** Hashes the field values of one event loop. Confined to it. */
public final class CredentialHash {
  static final String ALGORITHM = "HmacSHA256";

  private final Mac mac;
  private final byte[] hash = new byte[32];

  /** Hashes with {@code key}, which all loops share. */
  CredentialHash(SecretKey key) {
    try {
      mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
    } catch (NoSuchAlgorithmException | InvalidKeyException e) {
      throw new IllegalStateException(ALGORITHM + " is in every JDK", e);
    }
  }

  /**
   * The key of the field value {@code bytes[start, end)}; borrowed.
   *
   * @param extras a text that is part of it, each character one byte; null: none
   */
  public CredentialKey of(byte[] bytes, int start, int end, @Nullable String extras) {
    try {
      mac.update(bytes, start, end - start);
      if (extras != null) {
        mac.update((byte) 0);
        mac.update(extras.getBytes(StandardCharsets.ISO_8859_1));
      }
      mac.doFinal(hash, 0);
    } catch (ShortBufferException e) {
      throw new IllegalStateException(e);
    }
    return new CredentialKey(word(0), word(8));
  }

  private long word(int from) {
    long word = 0;
    for (int i = 0; i < 8; i++) {
      word = (word << 8) | (hash[from + i] & 0xff);
    }
    return word;
  }
}
