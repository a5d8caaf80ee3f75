package io.loligo.server.login;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.loligo.server.helper.Helper;
import io.loligo.server.helper.HelperReply;
import io.loligo.server.helper.HelperResult;
import io.loligo.server.login.PasswordCheck.Unavailable;
import io.loligo.server.login.digest.DigestAlgorithm;
import io.loligo.server.time.TimeSource;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The users of a helper program of Squid: it reads a name and the realm, and answers with HA1 by
 * MD5. Answers are kept until they are unused for {@code authenticate_ttl}. Thread-safe: any
 * thread.
 */
final class DigestHelperSource implements DigestSource {
  private static final int MOST_USERS = 100_000;

  private final Helper helper;
  private final String realm;
  private final Cache<User, String> hashes;
  private volatile boolean closed;

  private record User(String name, @Nullable String extras) {}

  /** Users of {@code helper}, which ends with its configuration. */
  DigestHelperSource(Helper helper, String realm, long idleSeconds, TimeSource time) {
    this.helper = helper;
    this.realm = realm;
    hashes =
        Caffeine.newBuilder()
            .maximumSize(MOST_USERS)
            .expireAfterAccess(Duration.ofSeconds(Math.max(1, idleSeconds)))
            .ticker(time::nanos)
            .executor(Runnable::run)
            .build();
  }

  @Override
  public @Nullable String known(String user, @Nullable String extras, DigestAlgorithm algorithm) {
    return hashes.getIfPresent(new User(user, extras));
  }

  @Override
  public Set<DigestAlgorithm> offered() {
    return EnumSet.of(DigestAlgorithm.MD5);
  }

  @Override
  public void find(
      String user, @Nullable String extras, DigestAlgorithm algorithm, Consumer<Found> then) {
    if (closed) {
      then.accept(new Found(null, new Unavailable("another program knows the users now")));
      return;
    }
    String question = "\"" + user + "\":\"" + realm + "\"" + (extras == null ? "" : " " + extras);
    helper.ask(
        question.getBytes(ISO_8859_1),
        Runnable::run,
        reply -> {
          Found found = found(reply);
          User key = new User(user, extras);
          if (found.ha1() != null) {
            hashes.put(key, found.ha1());
          } else if (found.failure() == null) {
            hashes.invalidate(key);
          }
          then.accept(found);
        });
  }

  private Found found(HelperReply reply) {
    return switch (reply.result()) {
      case OK -> answered(reply.first("ha1"));
      case ERR -> new Found(null, null);
      case UNKNOWN -> answered(reply.rest().strip());
      default -> failed(reply.result());
    };
  }

  private Found answered(@Nullable String ha1) {
    boolean hash =
        ha1 != null && ha1.length() == 32 && ha1.chars().allMatch(c -> Character.digit(c, 16) >= 0);
    return hash && ha1 != null
        ? new Found(ha1.toLowerCase(Locale.ROOT), null)
        : failed(HelperResult.UNKNOWN);
  }

  private Found failed(HelperResult result) {
    String why = helper.program().name() + ": " + result.name().toLowerCase(Locale.ROOT);
    return new Found(null, new Unavailable(why));
  }

  @Override
  public void close() {
    closed = true;
  }
}
