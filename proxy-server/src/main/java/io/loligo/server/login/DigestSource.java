package io.loligo.server.login;

import io.loligo.server.login.PasswordCheck.Unavailable;
import io.loligo.server.login.digest.DigestAlgorithm;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Knows the hashes of passwords for Digest. Thread-safe: any thread. */
interface DigestSource {
  /**
   * The HA1 of {@code user} as far as it is known; null: it is not. Does not block.
   *
   * @param extras what a helper reads behind its question; null: nothing
   */
  @Nullable String known(String user, @Nullable String extras, DigestAlgorithm algorithm);

  /** The algorithms that all users can use, the best first. */
  Set<DigestAlgorithm> offered();

  /**
   * Finds out the HA1 of {@code user} as it is now. Does not block.
   *
   * @param then receives the result, once: on any thread, perhaps before this returns
   */
  void find(String user, @Nullable String extras, DigestAlgorithm algorithm, Consumer<Found> then);

  /** Finds nothing any more; those that wait are answered. Does not block. */
  void close();

  /**
   * A result.
   *
   * @param ha1 null: there is no such user
   * @param failure why nobody can tell; null: somebody could
   */
  record Found(@Nullable String ha1, @Nullable Unavailable failure) {}
}
