package io.loligo.junit;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.loligo.Exchange;
import io.loligo.Loligo;
import io.loligo.LoligoConfig;
import io.loligo.Outcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.opentest4j.AssertionFailedError;

/**
 * The proxy of one test. Thread-safe: any thread.
 *
 * <p>An exchange has finished when the proxy has written the last byte of its response, which a
 * client may have read before. So assertions wait {@value #WAIT_MILLIS} ms for exchanges that are
 * missing; they fail at once if there are too many.
 */
public final class TestProxy {
  /** The longest time that an assertion waits. */
  static final int WAIT_MILLIS = 5000;

  private final TestClock clock;
  private final Loligo loligo;
  private final Finished finished;
  private final LoginFault logins;

  private TestProxy(TestClock clock, Loligo loligo, Finished finished, LoginFault logins) {
    this.clock = clock;
    this.loligo = loligo;
    this.finished = finished;
    this.logins = logins;
  }

  /** Whether the proxy has logins, and refuses them for now. */
  static final class LoginFault {
    private boolean hasLogin;
    private volatile boolean refuses;
  }

  /** The finished exchanges in their order. */
  private static final class Finished {
    private final List<Exchange> all = new ArrayList<>();

    synchronized void add(Exchange exchange) {
      all.add(exchange);
      notifyAll();
    }

    synchronized List<Exchange> copy() {
      return List.copyOf(all);
    }

    /** Waits for {@code expected} exchanges. Returns all exchanges. */
    synchronized List<Exchange> await(Predicate<Exchange> counted, long expected) {
      long guard = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(WAIT_MILLIS);
      boolean interrupted = false;
      while (all.stream().filter(counted).count() < expected && !interrupted) {
        long left = TimeUnit.NANOSECONDS.toMillis(guard - System.nanoTime());
        if (left <= 0) {
          break;
        }
        try {
          wait(left);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          interrupted = true;
        }
      }
      return List.copyOf(all);
    }
  }

  static TestProxy start(
      TestClock clock, @Nullable LoligoProxy annotation, Consumer<LoligoConfig> settings)
      throws IOException {
    Finished finished = new Finished();
    LoginFault logins = new LoginFault();
    Loligo loligo =
        Loligo.start(
            config -> {
              config.eventLoops(1).cacheMemory(8 << 20);
              if (annotation != null) {
                configure(config, annotation, logins);
              }
              settings.accept(config);
              config.clock(clock).onFinished(finished::add);
            });
    return new TestProxy(clock, loligo, finished, logins);
  }

  private static void configure(LoligoConfig config, LoligoProxy annotation, LoginFault logins) {
    for (String line : annotation.lines()) {
      config.line(line);
    }
    if (!annotation.login().isEmpty()) {
      requireLogin(config, annotation.login());
      logins.hasLogin = true;
      config.deny(request -> logins.refuses);
    }
  }

  private static void requireLogin(LoligoConfig config, String login) {
    int colon = login.indexOf(':');
    if (colon <= 0) {
      throw new IllegalArgumentException("login: " + login + " (expected: USER:PASSWORD)");
    }
    try {
      Path users = Files.createTempFile("loligo", ".users");
      users.toFile().deleteOnExit();
      Files.writeString(
          users, login.substring(0, colon + 1) + hash(login.substring(colon + 1)) + "\n");
      config
          .line("auth_param basic program basic_ncsa_auth " + users)
          .line("auth_param basic casesensitive on")
          .line("acl loligo_junit_users proxy_auth REQUIRED")
          .line("http_access deny !loligo_junit_users")
          // ends with the users, so that the rule of refuseLogins asks for another login
          .line("http_access allow localhost loligo_junit_users");
    } catch (IOException e) {
      throw new UncheckedIOException("the file of users cannot be written", e);
    }
  }

  private static String hash(String password) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-1").digest(password.getBytes(UTF_8));
      return "{SHA}" + Base64.getEncoder().encodeToString(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The proxy itself: purges and numbers. */
  public Loligo loligo() {
    return loligo;
  }

  /** Its URL, for clients that want one. */
  public URI url() {
    return loligo.url();
  }

  /** Its address. */
  public InetSocketAddress address() {
    return loligo.address();
  }

  /** Leads clients of {@code java.net.http}, OkHttp and others to it. */
  public ProxySelector proxySelector() {
    return loligo.proxySelector();
  }

  /** The clock of the proxy and the origin. */
  public TestClock clock() {
    return clock;
  }

  /**
   * Refuses the right login too, as after a change of the password: from now on, clients get 407.
   *
   * @param refuse false: the right login counts again
   * @throws IllegalStateException if the proxy has no {@link LoligoProxy#login}
   */
  public void refuseLogins(boolean refuse) {
    if (!logins.hasLogin) {
      throw new IllegalStateException(
          "no login (expected: @LoligoProxy(login = \"USER:PASSWORD\"))");
    }
    logins.refuses = refuse;
  }

  /** The exchanges that have finished so far, in their order. */
  public List<Exchange> exchanges() {
    return finished.copy();
  }

  /** Asserts the number of exchanges that a stored response has answered. */
  public void assertHits(long expected) {
    assertCount(Outcome.HIT, expected);
  }

  /** Asserts the number of exchanges that were fetched. */
  public void assertMisses(long expected) {
    assertCount(Outcome.MISS, expected);
  }

  /** Asserts the number of exchanges that a rule has denied, requests for a login included. */
  public void assertDenials(long expected) {
    assertCount(Outcome.DENIED, expected);
  }

  /** Asserts the number of exchanges that failed in the proxy, such as by an unreachable origin. */
  public void assertErrors(long expected) {
    assertCount(Outcome.ERROR, expected);
  }

  private void assertCount(Outcome outcome, long expected) {
    Predicate<Exchange> counted = exchange -> exchange.outcome() == outcome;
    List<Exchange> all = finished.await(counted, expected);
    long actual = all.stream().filter(counted).count();
    if (actual != expected) {
      throw new AssertionFailedError(
          outcome + ": " + actual + " (expected: " + expected + ") of " + all, expected, actual);
    }
  }

  void close() {
    loligo.close();
  }
}
