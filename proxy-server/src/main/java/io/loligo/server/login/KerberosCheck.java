package io.loligo.server.login;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.loligo.server.login.PasswordCheck.Unavailable;
import io.loligo.server.login.kerberos.KerberosAcceptor;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.Base64;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.ietf.jgss.GSSException;
import org.jspecify.annotations.Nullable;

/**
 * Checks Kerberos tokens with a keytab, as {@code negotiate_kerberos_auth} does, on threads of its
 * own with a bounded queue. Thread-safe: any thread.
 */
final class KerberosCheck implements TokenCheck {
  private static final long IDLE_SECONDS = 30;
  private static final String NTLM = "TlRMTVNTUA";

  private final KerberosAcceptor acceptor;
  private final ThreadPoolExecutor threads;

  /**
   * Starts no thread yet.
   *
   * @param most threads at most, and not more than half the cores
   * @param queue tokens that may wait
   */
  KerberosCheck(KerberosAcceptor acceptor, int most, int queue) {
    this.acceptor = acceptor;
    int count = Math.max(1, Math.min(most, Runtime.getRuntime().availableProcessors() / 2));
    threads =
        new ThreadPoolExecutor(
            count,
            count,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(queue),
            new DefaultThreadFactory("loligo-kerberos", true));
    threads.allowCoreThreadTimeOut(true);
  }

  @Override
  public Handshake begin(Object client) {
    return new Tokens(acceptor.new Exchange());
  }

  @Override
  public void close() {
    threads.shutdown();
  }

  private final class Tokens implements Handshake {
    private final KerberosAcceptor.Exchange exchange;

    Tokens(KerberosAcceptor.Exchange exchange) {
      this.exchange = exchange;
    }

    @Override
    public void next(String token, @Nullable String extras, Consumer<Outcome> then) {
      if (token.startsWith(NTLM)) {
        then.accept(new Wrong("the client sends NTLM, not Kerberos"));
        return;
      }
      try {
        threads.execute(() -> then.accept(outcome(token)));
      } catch (RejectedExecutionException full) {
        String why = threads.isShutdown() ? "it is stopping" : "too many tokens wait";
        then.accept(new Broken(new Unavailable("no check of a token: " + why)));
      }
    }

    private Outcome outcome(String token) {
      try {
        KerberosAcceptor.Step step = exchange.next(Base64.getDecoder().decode(token));
        String user = step.user();
        return user == null
            ? new More(Base64.getEncoder().encodeToString(step.token()))
            : new Done(new String(user.getBytes(UTF_8), ISO_8859_1));
      } catch (GSSException e) {
        return new Wrong("Kerberos: " + e.getMajorString());
      } catch (IllegalArgumentException notBase64) {
        return new Wrong("a token that is not Base64");
      } catch (RuntimeException | OutOfMemoryError e) {
        return new Broken(new Unavailable("the check of a token failed: " + e.getClass()));
      }
    }

    @Override
    public void end() {
      // what the JDK knows about it holds no resource
    }
  }
}
