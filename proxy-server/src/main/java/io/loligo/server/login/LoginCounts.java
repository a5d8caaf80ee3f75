package io.loligo.server.login;

import io.loligo.core.acl.LoginState;
import io.loligo.server.time.TimeSource;
import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * The counts of one scheme: checks of credentials, by a program or inside the proxy. Credentials
 * that are known already count nothing. Thread-safe: any thread.
 */
public final class LoginCounts {
  private final String scheme;
  private final TimeSource time;
  private final LongAdder[] counts = new LongAdder[LoginCount.values().length];

  LoginCounts(String scheme, TimeSource time) {
    this.scheme = scheme;
    this.time = time;
    for (int i = 0; i < counts.length; i++) {
      counts[i] = new LongAdder();
    }
  }

  /** The name of the scheme in {@code auth_param}. */
  public String scheme() {
    return scheme;
  }

  /** The value of {@code count}. */
  public long value(LoginCount count) {
    return counts[count.ordinal()].sum();
  }

  private void add(LoginCount count, long more) {
    counts[count.ordinal()].add(more);
  }

  /** {@code check}, counted. */
  LoginCheck counted(LoginCheck check) {
    return (loop, then) -> begin(check, loop, then);
  }

  private void begin(LoginCheck check, EventExecutor loop, Consumer<RequestLogin> then) {
    long startNanos = time.nanos();
    add(LoginCount.CHECKS, 1);
    add(LoginCount.PENDING, 1);
    check.begin(
        loop,
        told -> {
          add(LoginCount.PENDING, -1);
          add(LoginCount.CHECK_NANOS, time.since(startNanos));
          add(result(told), 1);
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
