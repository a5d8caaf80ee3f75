package io.loligo.server.shaping;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.loligo.core.caching.KeyHash;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * Names of the buckets of a rate that are the same on all nodes: 64 bits of a hash under a key that
 * depends on the rate. The other nodes see no address and no user. Thread-safe: any thread.
 */
final class SharedNames {
  private final long id;
  private final long key0;
  private final long key1;

  /** Those of the rate {@code name}. */
  SharedNames(String name, RequestRate.Key key) {
    try {
      String text = "loligo_request_rate " + name + " " + key;
      ByteBuffer hash =
          ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8)));
      id = hash.getLong();
      key0 = hash.getLong();
      key1 = hash.getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e); // every JVM has it
    }
  }

  /** That of the rate. */
  long id() {
    return id;
  }

  /** The name of {@code value}, an {@link AddressKey} or a text. */
  long of(Object value) {
    byte[] bytes =
        value instanceof AddressKey address ? bytes(address) : ((String) value).getBytes(UTF_8);
    return new KeyHash(key0, key1).update(bytes, bytes.length).high();
  }

  private static byte[] bytes(AddressKey address) {
    byte[] bytes = new byte[Long.BYTES + 1];
    ByteBuffer.wrap(bytes).putLong(address.bits()).put((byte) (address.v6() ? 6 : 4));
    return bytes;
  }
}
