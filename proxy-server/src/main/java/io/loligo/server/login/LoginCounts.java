package io.loligo.server.login;

import io.loligo.core.acl.LoginState;
import io.loligo.server.counts.Counts;
import io.loligo.server.counts.Tally;
import io.loligo.server.time.TimeSource;
import io.netty.util.concurrent.EventExecutor;
import java.util.function.Consumer;

/**
 * The counts of one scheme: checks of credentials, by a program or inside the proxy. Credentials
 * that are known already count nothing. Thread-safe: any thread.
 */
public final class LoginCounts implements Counts<LoginCount> {
  private final String scheme;
  private final TimeSource time;
  private final Tally<LoginCount> counts = new Tally<>(LoginCount.class);

  LoginCounts(String scheme, TimeSource time) {
    this.scheme = scheme;
    this.time = time;
  }

  /** The name of the scheme in {@code auth_param}. */
  @Override
  public String name() {
    return scheme;
  }

  @Override
  public long value(LoginCount count) {
    return counts.value(count);
  }

  /** {@code check}, counted. */
  LoginCheck counted(LoginCheck check) {
    return (loop, then) -> begin(check, loop, then);
  }

  private void begin(LoginCheck check, EventExecutor loop, Consumer<RequestLogin> then) {
    long startNanos = time.nanos();
    counts.add(LoginCount.CHECKS, 1);
    counts.add(LoginCount.PENDING, 1);
    check.begin(
        loop,
        told -> {
          counts.add(LoginCount.PENDING, -1);
          counts.add(LoginCount.CHECK_NANOS, time.since(startNanos));
          counts.add(result(told), 1);
          then.accept(told);
        });
  }

  private static LoginCount result(RequestLogin told) {
    if (told.whyUnavailable() != null) {
      return LoginCount.UNAVAILABLE;
    }
    if (told.state() == LoginState.KNOWN) {
      return LoginCount.ACCEPTED;
    }
    return told.goesOn() ? LoginCount.CONTINUED : LoginCount.REFUSED;
  }
}
