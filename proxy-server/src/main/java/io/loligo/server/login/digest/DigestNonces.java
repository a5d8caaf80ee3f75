package io.loligo.server.login.digest;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.security.InvalidKeyException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The nonces of Digest. Thread-safe: any thread.
 *
 * <p>A nonce is its time and a number, with a keyed hash of both. A challenge needs no memory, so
 * clients without a password take none. A nonce is noted when a valid response has used it: at most
 * {@value #MAX_USED}. Beyond that, the oldest one is forgotten, and all nonces that are as old are
 * stale from then on: a response can never be used twice.
 */
public final class DigestNonces {
  /** Most nonces in use: {@value}. */
  static final int MAX_USED = 100_000;

  private static final int ID_DIGITS = 16;
  private static final int MAC_BYTES = 16;
  private static final int NUMBER_BITS = 20;
  private static final String MAC = "HmacSHA256";

  private final DigestNonceRules rules;
  private final LongSupplier millis;
  private final int maxUsed;
  private final SecretKeySpec key;
  private final AtomicLong lastId = new AtomicLong();
  private final ConcurrentNavigableMap<Long, Use> used = new ConcurrentSkipListMap<>();
  private final AtomicInteger size = new AtomicInteger();

  /** Nonces up to this one are stale. */
  private final AtomicLong floor = new AtomicLong();

  private final AtomicLong collectMillis;

  /** What is known about a nonce in use. Guarded by {@code this}. */
  private static final class Use {
    private final String user;
    private long count;
    private boolean valid = true;

    Use(String user) {
      this.user = user;
    }
  }

  /** What a nonce of a response is worth. */
  public enum Worth {
    /** It may be used, and was counted. */
    GOOD,
    /** It was this proxy's, but may not be used any more; or its count was used before. */
    STALE
  }

  /**
   * No nonce yet.
   *
   * @param millis a clock in milliseconds that is never set back
   */
  public DigestNonces(DigestNonceRules rules, LongSupplier millis) {
    this(rules, millis, MAX_USED);
  }

  DigestNonces(DigestNonceRules rules, LongSupplier millis, int maxUsed) {
    this.rules = rules;
    this.millis = millis;
    this.maxUsed = maxUsed;
    byte[] secret = new byte[32];
    new SecureRandom().nextBytes(secret);
    key = new SecretKeySpec(secret, MAC);
    collectMillis = new AtomicLong(millis.getAsLong());
  }

  /** A new nonce: hexadecimal digits. */
  public String next() {
    long now = millis.getAsLong() << NUMBER_BITS;
    long id = lastId.updateAndGet(last -> Math.max(last + 1, now));
    return String.format("%016x", id) + mac(id);
  }

  private String mac(long id) {
    try {
      Mac mac = Mac.getInstance(MAC);
      mac.init(key);
      byte[] hash = mac.doFinal(Long.toHexString(id).getBytes(ISO_8859_1));
      return HexFormat.of().formatHex(Arrays.copyOf(hash, MAC_BYTES));
    } catch (NoSuchAlgorithmException | InvalidKeyException e) {
      throw new IllegalStateException(MAC + " is in every JDK", e);
    }
  }

  /** The number of a nonce of this process; -1: it is none. */
  private long id(String nonce) {
    if (nonce.length() != ID_DIGITS + 2 * MAC_BYTES) {
      return -1;
    }
    long id;
    try {
      id = HexFormat.fromHexDigitsToLong(nonce, 0, ID_DIGITS);
    } catch (IllegalArgumentException e) {
      return -1;
    }
    byte[] right = mac(id).getBytes(ISO_8859_1);
    byte[] given = nonce.substring(ID_DIGITS).getBytes(ISO_8859_1);
    return MessageDigest.isEqual(right, given) ? id : -1;
  }

  /** Whether a nonce may be used now, its count aside. */
  public boolean isFresh(String nonce) {
    long id = id(nonce);
    return id >= 0 && isFresh(id);
  }

  private boolean isFresh(long id) {
    long ageMillis = millis.getAsLong() - (id >> NUMBER_BITS);
    return id > floor.get() && ageMillis <= rules.maxMillis();
  }

  /**
   * Uses {@code nonce} for one request of {@code user}, whose response is right.
   *
   * @param count as the client gives it
   */
  public Worth use(String nonce, String user, long count) {
    long id = id(nonce);
    if (id < 0 || !isFresh(id)) {
      return Worth.STALE;
    }
    Use use = used.get(id);
    if (use == null) {
      Use made = new Use(user);
      Use earlier = used.putIfAbsent(id, made);
      use = earlier == null ? made : earlier;
      if (earlier == null) {
        size.incrementAndGet();
        collect();
      }
    }
    synchronized (use) {
      return use.valid && isFresh(id) ? count(use, user, count) : Worth.STALE;
    }
  }

  /** Whether {@code user} has sent a right response with {@code nonce} before. */
  public boolean isUsedBy(String nonce, String user) {
    long id = id(nonce);
    Use use = id < 0 ? null : used.get(id);
    return use != null && use.user.equals(user);
  }

  private Worth count(Use use, String user, long given) {
    if (!use.user.equals(user)) {
      return Worth.STALE;
    }
    long expected = use.count + 1;
    long count = rules.checksCount() ? given : expected;
    if (count < expected || (rules.strict() && count != expected)) {
      use.valid = false;
      return Worth.STALE;
    }
    use.count = count;
    use.valid = count <= rules.maxCount();
    return use.valid ? Worth.GOOD : Worth.STALE;
  }

  /** Forgets nonces that are too old, and the oldest ones if there are too many. */
  private void collect() {
    long now = millis.getAsLong();
    long last = collectMillis.get();
    if (now - last >= rules.collectMillis() && collectMillis.compareAndSet(last, now)) {
      long oldest = (now - rules.maxMillis()) << NUMBER_BITS;
      if (oldest > 0) {
        forget(used.headMap(oldest));
      }
    }
    while (size.get() > maxUsed && !used.isEmpty()) {
      forget(used.headMap(used.firstKey(), true));
    }
  }

  private void forget(ConcurrentNavigableMap<Long, Use> old) {
    for (Long id : old.keySet()) {
      floor.accumulateAndGet(id, Math::max);
      if (used.remove(id) != null) {
        size.decrementAndGet();
      }
    }
  }

  /** How many are noted. */
  int size() {
    return size.get();
  }
}
