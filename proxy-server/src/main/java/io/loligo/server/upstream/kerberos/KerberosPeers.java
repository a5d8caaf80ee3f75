package io.loligo.server.upstream.kerberos;

import io.loligo.server.time.TimeSource;
import io.loligo.server.upstream.Peer;
import io.loligo.server.upstream.PeerKerberos;
import io.loligo.server.upstream.PeerTokens;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.security.auth.login.LoginException;
import org.ietf.jgss.GSSException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes tokens for peers, each peer on a thread of its own with a bounded queue: a key distribution
 * centre that hangs delays the requests to one peer. Thread-safe: any thread.
 *
 * <p>After a failure no token is tried for {@value #PAUSE_SECONDS} seconds: requests fail at once.
 * They also fail at once while one token takes longer than {@value #SLOW_SECONDS} seconds.
 */
public final class KerberosPeers implements PeerTokens, AutoCloseable {
  /** Most requests to one peer that wait for a token: {@value}. */
  static final int MOST_WAITING = 1_000;

  /** How long a failure counts, in seconds: {@value}. */
  static final int PAUSE_SECONDS = 5;

  /**
   * How long a token may take before other requests wait for it no longer, in seconds: {@value}.
   */
  static final int SLOW_SECONDS = 10;

  private static final long IDLE_SECONDS = 30;
  private static final Logger LOG = LoggerFactory.getLogger(KerberosPeers.class);

  /** Makes one token. Blocks. */
  interface Maker {
    /** A new token. */
    byte[] token() throws GSSException, LoginException;
  }

  private final TimeSource time;
  private final Function<PeerKerberos, Maker> makers;
  private final Map<PeerKerberos, OnePeer> peers = new ConcurrentHashMap<>();

  /** No peer is known yet. */
  public KerberosPeers(TimeSource time) {
    this(time, of -> new KerberosInitiator(of, time));
  }

  KerberosPeers(TimeSource time, Function<PeerKerberos, Maker> makers) {
    this.time = time;
    this.makers = makers;
  }

  @Override
  public void next(PeerKerberos of, EventExecutor loop, Consumer<Made> then) {
    peers.computeIfAbsent(of, OnePeer::new).next(loop, then);
  }

  /** Forgets peers that are not among {@code parents}. */
  public void use(List<Peer> parents) {
    Set<PeerKerberos> gone = new HashSet<>(peers.keySet());
    parents.forEach(parent -> gone.remove(parent.kerberos()));
    for (PeerKerberos of : gone) {
      OnePeer peer = peers.remove(of);
      if (peer != null) {
        peer.thread.shutdown();
      }
    }
  }

  /** Makes no more tokens. */
  @Override
  public void close() {
    peers.values().forEach(peer -> peer.thread.shutdownNow());
  }

  /** One peer. Its tickets are confined to its thread. */
  private final class OnePeer {
    private final String host;
    private final Maker maker;
    private final ThreadPoolExecutor thread;

    /** The last failure; null: none yet. */
    private volatile @Nullable Failure failure;

    /** Since when a token is being made; null: none is. */
    private volatile @Nullable Long begunNanos;

    private record Failure(String why, long untilNanos) {}

    OnePeer(PeerKerberos of) {
      host = of.host();
      maker = makers.apply(of);
      thread =
          new ThreadPoolExecutor(
              1,
              1,
              IDLE_SECONDS,
              TimeUnit.SECONDS,
              new LinkedBlockingQueue<>(MOST_WAITING),
              new DefaultThreadFactory("loligo-kerberos-peer", true));
      thread.allowCoreThreadTimeOut(true);
    }

    void next(EventExecutor loop, Consumer<Made> then) {
      Long begun = begunNanos;
      Made known =
          begun != null && time.since(begun) > TimeUnit.SECONDS.toNanos(SLOW_SECONDS)
              ? new Made(null, host + ": the key distribution centre does not answer")
              : failed();
      if (known != null) {
        then.accept(known);
        return;
      }
      try {
        thread.execute(() -> tell(loop, then, make()));
      } catch (RejectedExecutionException full) {
        then.accept(new Made(null, host + ": too many requests wait for a Kerberos token"));
      }
    }

    private @Nullable Made failed() {
      Failure last = failure;
      return last != null && time.nanos() - last.untilNanos < 0 ? new Made(null, last.why) : null;
    }

    private Made make() {
      Made known = failed();
      if (known != null) {
        return known;
      }
      begunNanos = time.nanos();
      try {
        byte[] token = maker.token();
        return new Made("Negotiate " + Base64.getEncoder().encodeToString(token), "");
      } catch (GSSException | LoginException | RuntimeException | OutOfMemoryError e) {
        String why = host + ": no Kerberos token: " + e.getMessage();
        LOG.warn(
            "login=NEGOTIATE: {}; requests to that parent fail; next: look at the keytab and at the"
                + " Kerberos server",
            why);
        failure = new Failure(why, time.nanos() + TimeUnit.SECONDS.toNanos(PAUSE_SECONDS));
        return new Made(null, why);
      } finally {
        begunNanos = null;
      }
    }

    private void tell(EventExecutor loop, Consumer<Made> then, Made made) {
      try {
        loop.execute(() -> then.accept(made));
      } catch (RejectedExecutionException closed) {
        LOG.debug("a token comes too late: the loop is closed");
      }
    }
  }
}
