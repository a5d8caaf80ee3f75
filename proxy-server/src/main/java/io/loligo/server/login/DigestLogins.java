package io.loligo.server.login;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.loligo.server.helper.Helpers;
import io.loligo.server.login.DigestSource.Found;
import io.loligo.server.login.PasswordCheck.Unavailable;
import io.loligo.server.login.RequestLogin.OwnChallenge;
import io.loligo.server.login.digest.DigestAlgorithm;
import io.loligo.server.login.digest.DigestFields;
import io.loligo.server.login.digest.DigestFile;
import io.loligo.server.login.digest.DigestNonces;
import io.loligo.server.time.TimeSource;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The scheme Digest (RFC 7616): a response is right if it was made with the password, for this
 * request, and with a nonce and a count that were not used before. Thread-safe: any thread.
 *
 * <p>A response is compared at once if the hash of the password is known. If it is wrong then, the
 * source is asked, because the password may have changed; only that counts as a wrong password.
 */
final class DigestLogins implements Scheme {
  private static final Logger LOG = LoggerFactory.getLogger(DigestLogins.class);
  private static final String NAME = "digest";

  /** Compared with if there is no hash, so that both cases take the same time. */
  private static final String DECOY = "0".repeat(64);

  private final LoginSettings all;
  private final DigestSettings settings;
  private final LoginLimits limits;
  private final DigestSource source;
  private final DigestNonces nonces;
  private final String quotedRealm;

  DigestLogins(
      LoginSettings all,
      DigestSettings settings,
      LoginLimits limits,
      DigestSource source,
      DigestNonces nonces) {
    this.all = all;
    this.settings = settings;
    this.limits = limits;
    this.source = source;
    this.nonces = nonces;
    quotedRealm = '"' + settings.realm().replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  /** The scheme under {@code all}, whose programs are in {@code helpers}. Reads a file. */
  static DigestLogins of(
      LoginSettings all,
      DigestSettings settings,
      TimeSource time,
      LoginLimits limits,
      Helpers helpers) {
    DigestNonces nonces =
        new DigestNonces(settings.nonces(), () -> TimeUnit.NANOSECONDS.toMillis(time.nanos()));
    String file = settings.helper() == null ? DigestSettings.file(settings.program()) : null;
    DigestSource source;
    if (settings.helper() != null) {
      source =
          new DigestHelperSource(
              helpers.of(settings.helper()), settings.realm(), all.idleSeconds(), time);
    } else {
      assert file != null : "the reader of the line has checked it";
      boolean hashes = DigestSettings.hasHashes(settings.program());
      source =
          new DigestFileSource(
              new DigestFile(file, settings.realm(), hashes), FileCheck.QUEUE, time::nanos);
    }
    return new DigestLogins(all, settings, limits, source, nonces);
  }

  /**
   * The scheme under other settings. Its nonces stay.
   *
   * @return null: its own settings are others
   */
  @Nullable DigestLogins under(LoginSettings next, DigestSettings digest, LoginLimits limits) {
    return digest.equals(settings) && next.idleSeconds() == all.idleSeconds()
        ? new DigestLogins(next, digest, limits, source, nonces)
        : null;
  }

  @Override
  public boolean continuesIn(Scheme next) {
    return next instanceof DigestLogins other && other.source == source;
  }

  @Override
  public void close() {
    source.close();
  }

  @Override
  public SchemeSettings settings() {
    return settings;
  }

  @Override
  public List<String> challenges() {
    return challenges(false);
  }

  private List<String> challenges(boolean stale) {
    String nonce = nonces.next();
    List<String> values = new ArrayList<>();
    for (DigestAlgorithm one : offered()) {
      // as Squid writes it; MD5 is what a challenge without a name of an algorithm means
      String algorithm = one == DigestAlgorithm.MD5 ? "" : ", algorithm=" + one.token();
      values.add(
          "Digest realm="
              + quotedRealm
              + ", nonce=\""
              + nonce
              + "\", qop=\"auth\""
              + algorithm
              + (settings.utf8() ? ", charset=UTF-8" : "")
              + ", stale="
              + stale);
    }
    return values;
  }

  private List<DigestAlgorithm> offered() {
    Set<DigestAlgorithm> offered = source.offered();
    List<DigestAlgorithm> some =
        offered.stream().filter(one -> settings.md5() || one != DigestAlgorithm.MD5).toList();
    // nobody can log in with it, which is no reason to offer nothing
    return some.isEmpty() ? List.of(DigestAlgorithm.SHA_256) : some;
  }

  @Override
  public RequestLogin read(LoginRequest request) {
    int start = request.start() + NAME.length();
    int length = request.end() - start;
    if (length > DigestFields.MAX_BYTES) {
      return RequestLogin.challenge(null);
    }
    String text = new String(request.bytes(), start, length, ISO_8859_1);
    DigestFields fields = DigestFields.read(text);
    if (fields == null) {
      return RequestLogin.challenge(DigestFields.userIn(text));
    }
    String user = fields.user();
    if (settings.utf8() && !BasicScheme.isUtf8(user.getBytes(ISO_8859_1))) {
      user = new String(user.getBytes(UTF_8), ISO_8859_1);
    }
    if (!fields.realm().equals(settings.realm())
        || !offered().contains(fields.algorithm())
        || !request.isFor(fields.uri())) {
      return again(user, false);
    }
    if (!nonces.isFresh(fields.nonce())) {
      return again(user, true);
    }
    byte[] address = request.clientAddress();
    if (isLimited(address, user, fields)) {
      return RequestLogin.unavailable(Unavailable.tooManyFailures());
    }
    String extras = request.extras(settings.extras());
    Attempt attempt = new Attempt(fields, user, extras, request.method(), address);
    String known = source.known(user, extras, fields.algorithm());
    return attempt.isRight(known) ? counted(attempt) : RequestLogin.unchecked(attempt);
  }

  /** A user who has logged in with the nonce is not bothered by wrong passwords of others. */
  private boolean isLimited(byte[] address, String user, DigestFields fields) {
    return limits.hasFailedOften(address, user) && !nonces.isUsedBy(fields.nonce(), user);
  }

  /** As Squid: a stale nonce is no reason to stay with Digest, a wrong response is one. */
  private RequestLogin again(String user, boolean stale) {
    return RequestLogin.challenge(
        user, new OwnChallenge(NAME, !stale, false, () -> challenges(stale)));
  }

  /** A right response: its nonce is used. */
  private RequestLogin counted(Attempt right) {
    DigestNonces.Worth worth = nonces.use(right.fields.nonce(), right.user, right.fields.count());
    return worth == DigestNonces.Worth.GOOD
        ? RequestLogin.known(right.user)
        : again(right.user, true);
  }

  /** One response. Immutable. */
  private final class Attempt implements LoginCheck {
    private final DigestFields fields;
    private final String user;
    private final @Nullable String extras;
    private final String method;
    private final byte[] address;

    Attempt(
        DigestFields fields, String user, @Nullable String extras, String method, byte[] address) {
      this.fields = fields;
      this.user = user;
      this.extras = extras;
      this.method = method;
      this.address = address;
    }

    /** Whether it was made with {@code ha1}; null: there is none. */
    boolean isRight(@Nullable String ha1) {
      String used = ha1 == null ? DECOY : ha1;
      boolean right = fields.answers(used, method);
      if (!right && settings.postWorkaround() && !method.equals("GET")) {
        right = fields.answers(used, "GET");
      }
      return right && ha1 != null;
    }

    @Override
    public void begin(EventExecutor loop, Consumer<RequestLogin> then) {
      if (!limits.checks().begin(address)) {
        then.accept(
            RequestLogin.unavailable(new Unavailable("too many passwords of this client wait")));
        return;
      }
      source.find(
          user,
          extras,
          fields.algorithm(),
          found -> {
            limits.checks().end(address);
            RequestLogin result = result(found);
            try {
              loop.execute(() -> then.accept(result));
            } catch (RejectedExecutionException closed) {
              LOG.debug("an answer comes too late: the loop is closed");
            }
          });
    }

    private RequestLogin result(Found found) {
      if (found.failure() != null) {
        return RequestLogin.unavailable(found.failure());
      }
      if (isRight(found.ha1())) {
        return counted(this);
      }
      limits.failed(address, user);
      return again(user, false);
    }
  }
}
