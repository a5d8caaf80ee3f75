package io.loligo.server.login;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.loligo.server.helper.Helpers;
import io.loligo.server.login.PasswordCheck.Accepted;
import io.loligo.server.login.PasswordCheck.Answer;
import io.loligo.server.login.PasswordCheck.Rejected;
import io.loligo.server.login.PasswordCheck.Unavailable;
import io.loligo.server.time.TimeSource;
import io.netty.util.concurrent.EventExecutor;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The users who have logged in, under one configuration. Thread-safe: any thread.
 *
 * <p>Answers about credentials are kept under a keyed hash of the field value, never with the
 * password. They are bounded in bytes and in time. Credentials that several requests have at the
 * same time are checked once.
 */
public final class Logins {
  /** Most bytes of kept answers: {@value}. */
  static final long MAX_BYTES = 16L << 20;

  /** How long a wrong password is not checked again, in seconds: {@value}. */
  static final long REJECTED_SECONDS = 10;

  /** Heap of one kept answer without the name: entry, key, answer and its function. */
  private static final int ANSWER_BYTES = 256;

  private static final Logger LOG = LoggerFactory.getLogger(Logins.class);

  private final LoginSettings settings;
  private final BasicSettings basic;
  private final TimeSource time;
  private final SecretKey key;
  private final PasswordCheck check;
  private final BasicScheme scheme;
  private final Cache<CredentialKey, Known> known;
  private final ConcurrentHashMap<CredentialKey, List<Waiting>> pending;
  private final UserAddresses addresses;
  private final LoginLimits limits;

  /** An answer about credentials, since a time of the monotonic clock. */
  private record Known(String user, Answer answer, long sinceNanos) {}

  /** A request that waits for an answer. */
  private record Waiting(EventExecutor loop, Consumer<Answer> then, byte[] address) {}

  /** Nobody has logged in yet; {@code check} checks passwords. */
  Logins(LoginSettings settings, BasicSettings basic, TimeSource time, PasswordCheck check) {
    this.settings = settings;
    this.basic = basic;
    this.time = time;
    scheme = new BasicScheme(basic);
    key = newKey();
    this.check = check;
    known = answers(settings, time);
    pending = new ConcurrentHashMap<>();
    addresses = new UserAddresses();
    limits = new LoginLimits(settings.mostFailures(), time);
  }

  /** Other settings, with all that is known to {@code before}. */
  private Logins(LoginSettings settings, BasicSettings basic, Logins before) {
    this.settings = settings;
    this.basic = basic;
    time = before.time;
    scheme = new BasicScheme(basic);
    key = before.key;
    check = before.check;
    known = before.known;
    pending = before.pending;
    addresses = before.addresses;
    limits =
        settings.mostFailures() == before.settings.mostFailures()
            ? before.limits
            : new LoginLimits(settings.mostFailures(), time);
  }

  private static Cache<CredentialKey, Known> answers(LoginSettings settings, TimeSource time) {
    return Caffeine.newBuilder()
        .maximumWeight(MAX_BYTES)
        .<CredentialKey, Known>weigher((of, answer) -> ANSWER_BYTES + 2 * answer.user().length())
        .expireAfterAccess(Duration.ofSeconds(Math.max(1, settings.idleSeconds())))
        .ticker(time::nanos)
        .executor(Runnable::run)
        .build();
  }

  /** The logins under {@code settings}; null: nobody can log in. */
  public static @Nullable Logins of(LoginSettings settings, TimeSource time, Helpers helpers) {
    BasicSettings basic = settings.basic();
    if (basic == null) {
      return null;
    }
    PasswordCheck check =
        basic.helper() == null
            ? fileCheck(basic, time)
            : new HelperCheck(helpers.of(basic.helper()));
    return new Logins(settings, basic, time, check);
  }

  private static SecretKey newKey() {
    byte[] bytes = new byte[32];
    new SecureRandom().nextBytes(bytes);
    return new SecretKeySpec(bytes, CredentialHash.ALGORITHM);
  }

  private static PasswordCheck fileCheck(BasicSettings basic, TimeSource time) {
    int queue = basic.queue() < 0 ? FileCheck.QUEUE : Math.max(1, basic.queue());
    PasswordFile file = new PasswordFile(basic.file(), basic.caseSensitive());
    return new FileCheck(file, basic.children(), queue, time::nanos);
  }

  /**
   * The logins under other settings. They know what {@code before} knows, unless passwords are
   * checked in another way now. The caller ends {@code before} with {@link #replacedBy}.
   *
   * @param before null: nobody could log in
   * @return null: nobody can log in
   */
  public static @Nullable Logins under(
      @Nullable Logins before, LoginSettings settings, TimeSource time, Helpers helpers) {
    BasicSettings basic = settings.basic();
    if (before == null
        || basic == null
        || !basic.checksLike(before.basic)
        || settings.idleSeconds() != before.settings.idleSeconds()) {
      return of(settings, time, helpers);
    }
    return new Logins(settings, basic, before);
  }

  /** Ends the check, unless {@code next} goes on with it. Requests that wait are answered. */
  public void replacedBy(@Nullable Logins next) {
    if (next == null || next.check != check) {
      check.close();
    }
  }

  /** The scheme. */
  public BasicScheme basic() {
    return scheme;
  }

  /** The hash of field values, for one event loop. */
  public CredentialHash newHash() {
    return new CredentialHash(key);
  }

  /** What is known about the credentials of {@code of}; null: nothing. Does not block. */
  public @Nullable RequestLogin known(CredentialKey of) {
    Known found = known.getIfPresent(of);
    if (found == null) {
      return null;
    }
    long age = time.nanos() - found.sinceNanos;
    Answer answer = found.answer;
    if (answer instanceof Accepted accepted
        && age < TimeUnit.SECONDS.toNanos(basic.ttlSeconds())
        && accepted.still().getAsBoolean()) {
      return RequestLogin.known(found.user);
    }
    if (answer instanceof Rejected rejected
        && age < TimeUnit.SECONDS.toNanos(REJECTED_SECONDS)
        && rejected.still().getAsBoolean()) {
      return RequestLogin.challenge(found.user);
    }
    known.invalidate(of);
    return null;
  }

  /**
   * Checks {@code credentials}, or joins a check of the same ones. Does not block.
   *
   * @param of their key
   * @param address of the client, 4 or 16 bytes
   * @param loop runs {@code then}, once; called on it, perhaps before this returns
   */
  public void check(
      CredentialKey of,
      Credentials credentials,
      byte[] address,
      EventExecutor loop,
      Consumer<Answer> then) {
    if (limits.hasFailedOften(address, credentials.user())) {
      then.accept(new Unavailable("too many wrong passwords for this name", true));
      return;
    }
    List<Waiting> first = new ArrayList<>(1);
    pending.compute(
        of,
        (same, waiting) -> {
          List<Waiting> all = waiting == null ? first : waiting;
          all.add(new Waiting(loop, then, address));
          return all;
        });
    if (!first.isEmpty()) {
      begin(of, credentials, address);
    }
  }

  /** Requests that join a check cost nothing, so only the one that begins it counts. */
  private void begin(CredentialKey of, Credentials credentials, byte[] address) {
    String user = credentials.user();
    if (!limits.begin(address)) {
      answered(of, user, new Unavailable("too many passwords of this client wait"));
      return;
    }
    check.check(
        credentials,
        answer -> {
          limits.end(address);
          answered(of, user, answer);
        });
  }

  private void answered(CredentialKey of, String user, Answer answer) {
    if (!(answer instanceof Unavailable)) {
      known.put(of, new Known(user, answer, time.nanos()));
    }
    List<Waiting> waiting = pending.remove(of);
    if (waiting == null) {
      return;
    }
    if (answer instanceof Rejected) {
      Set<ByteBuffer> clients = new HashSet<>();
      for (Waiting one : waiting) {
        if (clients.add(LoginLimits.client(one.address))) {
          limits.failed(one.address, user);
        }
      }
    }
    for (Waiting one : waiting) {
      tell(one, answer);
    }
  }

  private static void tell(Waiting one, Answer answer) {
    try {
      one.loop.execute(() -> one.then.accept(answer));
    } catch (RejectedExecutionException closed) {
      LOG.debug("an answer comes too late: the loop is closed");
    }
  }

  /** Whether an ACL asks for the number of a user's addresses. */
  public boolean countsAddresses() {
    return settings.countsAddresses();
  }

  void countAddress(String user, byte[] address, long nowMillis) {
    long untilMillis = nowMillis + TimeUnit.SECONDS.toMillis(settings.addressSeconds());
    addresses.add(user, address, nowMillis, untilMillis);
  }

  boolean hasMoreAddresses(int most, boolean strict, String user, byte[] address) {
    return addresses.moreThan(most, strict, user, address);
  }
}
