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
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The scheme Basic: checks passwords and keeps the answers. Thread-safe: any thread.
 *
 * <p>Answers about credentials are kept under a keyed hash of the field value, never with the
 * password. They are bounded in bytes and in time. Credentials that several requests have at the
 * same time are checked once.
 */
final class BasicLogins implements Scheme {
  /** Most bytes of kept answers: {@value}. */
  static final long MAX_BYTES = 16L << 20;

  /** How long a wrong password is not checked again, in seconds: {@value}. */
  static final long REJECTED_SECONDS = 10;

  /** Heap of one kept answer without the name: entry, key, answer and its function. */
  private static final int ANSWER_BYTES = 256;

  private static final Logger LOG = LoggerFactory.getLogger(BasicLogins.class);

  private final LoginSettings settings;
  private final BasicSettings basic;
  private final TimeSource time;
  private final PasswordCheck check;
  private final BasicScheme scheme;
  private final Cache<CredentialKey, Known> known;
  private final ConcurrentHashMap<CredentialKey, List<Waiting>> pending;
  private final LoginLimits limits;

  /** An answer about credentials, since a time of the monotonic clock. */
  private record Known(String user, Answer answer, long sinceNanos) {}

  /** A request that waits for an answer. */
  private record Waiting(EventExecutor loop, Consumer<Answer> then, byte[] address) {}

  /** Nobody has logged in yet; {@code check} checks passwords. */
  BasicLogins(
      LoginSettings settings,
      BasicSettings basic,
      TimeSource time,
      LoginLimits limits,
      PasswordCheck check) {
    this.settings = settings;
    this.basic = basic;
    this.time = time;
    this.limits = limits;
    this.check = check;
    scheme = new BasicScheme(basic);
    known = answers(settings, time);
    pending = new ConcurrentHashMap<>();
  }

  /** Other settings, with all that is known to {@code before}. */
  private BasicLogins(
      LoginSettings settings, BasicSettings basic, LoginLimits limits, BasicLogins before) {
    this.settings = settings;
    this.basic = basic;
    this.limits = limits;
    time = before.time;
    check = before.check;
    scheme = new BasicScheme(basic);
    known = before.known;
    pending = before.pending;
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

  /** The scheme under {@code settings}, whose programs are in {@code helpers}. */
  static BasicLogins of(
      LoginSettings settings,
      BasicSettings basic,
      TimeSource time,
      LoginLimits limits,
      Helpers helpers) {
    PasswordCheck check =
        basic.helper() == null
            ? fileCheck(basic, time)
            : new HelperCheck(helpers.of(basic.helper()));
    return new BasicLogins(settings, basic, time, limits, check);
  }

  private static PasswordCheck fileCheck(BasicSettings basic, TimeSource time) {
    int queue = basic.queue() < 0 ? FileCheck.QUEUE : Math.max(1, basic.queue());
    PasswordFile file = new PasswordFile(basic.file(), basic.caseSensitive());
    return new FileCheck(file, basic.children(), queue, time::nanos);
  }

  /**
   * The scheme under other settings. It knows what this one knows.
   *
   * @return null: passwords are checked in another way now
   */
  @Nullable BasicLogins under(LoginSettings next, BasicSettings nextBasic, LoginLimits limits) {
    return nextBasic.checksLike(basic) && next.idleSeconds() == settings.idleSeconds()
        ? new BasicLogins(next, nextBasic, limits, this)
        : null;
  }

  @Override
  public boolean continuesIn(Scheme next) {
    return next instanceof BasicLogins other && other.check == check;
  }

  @Override
  public void close() {
    check.close();
  }

  @Override
  public SchemeSettings settings() {
    return basic;
  }

  @Override
  public List<String> challenges() {
    return List.of(scheme.challenge());
  }

  @Override
  public RequestLogin read(LoginRequest request) {
    byte[] bytes = request.bytes();
    int start = request.start();
    int end = request.end();
    String extras = request.extras(basic.extras());
    CredentialKey key = request.hash().of(bytes, start, end, extras);
    RequestLogin found = known(key);
    if (found != null) {
      return found;
    }
    BasicScheme.Read read = scheme.read(bytes, start, end);
    Credentials plain = read.credentials();
    if (plain == null) {
      return RequestLogin.challenge(read.user());
    }
    Credentials credentials =
        extras == null ? plain : new Credentials(plain.user(), plain.password(), extras);
    byte[] address = request.clientAddress();
    return RequestLogin.unchecked(
        (loop, then) ->
            check(
                key,
                credentials,
                address,
                loop,
                answer -> then.accept(told(credentials.user(), answer))));
  }

  private static RequestLogin told(String user, Answer answer) {
    if (answer instanceof Unavailable failed) {
      return RequestLogin.unavailable(failed);
    }
    return answer instanceof Accepted accepted
        ? RequestLogin.known(user, accepted.notes())
        : RequestLogin.challenge(user);
  }

  /** What is known about the credentials of {@code of}; null: nothing. Does not block. */
  @Nullable RequestLogin known(CredentialKey of) {
    Known found = known.getIfPresent(of);
    if (found == null) {
      return null;
    }
    long age = time.nanos() - found.sinceNanos;
    Answer answer = found.answer;
    if (answer instanceof Accepted accepted
        && age < TimeUnit.SECONDS.toNanos(basic.ttlSeconds())
        && accepted.still().getAsBoolean()) {
      return RequestLogin.known(found.user, accepted.notes());
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
  void check(
      CredentialKey of,
      Credentials credentials,
      byte[] address,
      EventExecutor loop,
      Consumer<Answer> then) {
    if (limits.hasFailedOften(address, credentials.user())) {
      then.accept(Unavailable.tooManyFailures());
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
    if (!limits.checks().begin(address)) {
      answered(of, user, new Unavailable("too many passwords of this client wait"));
      return;
    }
    check.check(
        credentials,
        answer -> {
          limits.checks().end(address);
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
}
