package io.loligo.server.upstream.connect;

import io.loligo.server.record.HopTls;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.tls.TlsFault;
import io.loligo.server.upstream.FetchFailure;
import io.loligo.server.upstream.HopProxyHeader;
import io.loligo.server.upstream.pool.Endpoint;
import io.loligo.server.upstream.tls.HandshakeFailure;
import io.loligo.server.upstream.tls.Tolerance;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoop;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to reach any of several endpoints (Happy Eyeballs, RFC 8305 section 5): the next one
 * is dialled {@value #STAGGER_MILLIS} ms after the one before it, or as soon as that failed; the
 * first connection wins, the others are closed. A header of the PROXY protocol is sent at once, if
 * the endpoint has one. A connection with TLS is ready after its handshake; its time counts. Once a
 * connection is established, the next endpoint is dialled only if the handshake fails. Confined to
 * one event loop.
 *
 * @param <H> the handler of each connection
 */
public final class Dial<H extends ChannelHandler> extends LoopTimer.Timeout {
  /** The time between two connections to one endpoint. */
  public static final int REPEAT_MILLIS = 50;

  /** Connection Attempt Delay of RFC 8305. */
  public static final int STAGGER_MILLIS = 250;

  /** Told the result of a dial: one call, perhaps before {@link #start} returns. */
  public interface Outcome<H> {
    /**
     * A connection is established.
     *
     * @param secured TLS on it; null: clear text
     */
    void connected(
        H handler, Channel channel, Endpoint endpoint, int attempts, @Nullable HopTls secured);

    /** {@code endpoint} has accepted a connection after {@code nanos}; a handshake may follow. */
    default void reached(Endpoint endpoint, long nanos) {}

    /** A handshake failed. Another endpoint may follow. */
    default void insecure(HandshakeFailure failure) {}

    /** None of the endpoints could be connected to. */
    void unreachable(FetchFailure failure, int attempts);
  }

  /**
   * How much is tried. Immutable.
   *
   * @param endpoints most endpoints, at least 1
   * @param dialsOfEach how often each is dialled, at least once
   */
  public record Effort(int endpoints, int dialsOfEach) {}

  private final EventLoop loop;
  private final OriginTransport transport;
  private final LoopTimer timer;
  private final List<Endpoint> endpoints;
  private final Effort effort;
  private final int maxAttempts;
  private final Function<Endpoint, H> handlers;
  private final Outcome<? super H> outcome;
  private final Tolerance tolerance;
  private final List<Channel> pending = new ArrayList<>(2);
  private @Nullable ScheduledFuture<?> stagger;
  private int next;
  private boolean done;
  private int handshakes;

  /** Endpoints that are dialled again soon. */
  private int repeating;

  /** Of the last handshake that failed. */
  private @Nullable TlsFault lastFault;

  private String lastError = "no address";

  /**
   * A dial that has not begun.
   *
   * @param endpoints in the order to be tried, not empty
   * @param most the connections to try
   * @param handlers makes the handler of each connection
   * @param tolerance the rules of the request about faults of certificates
   */
  public Dial(
      EventLoop loop,
      OriginTransport transport,
      LoopTimer timer,
      List<Endpoint> endpoints,
      Effort most,
      Function<Endpoint, H> handlers,
      Outcome<? super H> outcome,
      Tolerance tolerance) {
    this.loop = loop;
    this.transport = transport;
    this.timer = timer;
    this.endpoints = endpoints;
    this.effort = most;
    this.maxAttempts = Math.min(endpoints.size(), most.endpoints());
    this.handlers = handlers;
    this.outcome = outcome;
    this.tolerance = tolerance;
  }

  /** Dials; gives up after {@code timeoutMillis}, 0: never. */
  public void start(long timeoutMillis) {
    timer.arm(this, timeoutMillis);
    dialNext();
  }

  /** Closes the pending connections; the outcome is not called. */
  public void cancel() {
    finish(null);
  }

  private void dialNext() {
    while (!done && next < maxAttempts) {
      if (dial(endpoints.get(next++), 1)) {
        scheduleNext();
        return;
      }
    }
    if (!done && pending.isEmpty() && repeating == 0) {
      fail(
          lastFault == null
              ? FetchFailure.Kind.CONNECT_FAILED
              : FetchFailure.Kind.SECURE_CONNECT_FAILED);
    }
  }

  /** Dials {@code endpoint} for the {@code time}th time; false if it cannot be dialled. */
  private boolean dial(Endpoint endpoint, int time) {
    InetSocketAddress address = endpoint.socketAddress();
    H handler = handlers.apply(endpoint);
    ChannelFuture connecting;
    long startNanos = loop.ticker().nanoTime();
    try {
      connecting = transport.connect(loop, endpoint.local(), address, handler);
    } catch (RuntimeException e) {
      connectFailed(describe(address, e));
      return false;
    }
    pending.add(connecting.channel());
    connecting.addListener(
        (ChannelFutureListener) future -> settled(future, handler, endpoint, time, startNanos));
    return true;
  }

  private void repeat(Endpoint endpoint, int time) {
    repeating--;
    if (!done && !dial(endpoint, time)) {
      dialNext();
    }
  }

  /** A failed handshake says more than a failed connection. */
  private void connectFailed(String error) {
    if (lastFault == null) {
      lastError = error;
    }
  }

  private void scheduleNext() {
    if (!done && next < maxAttempts && stagger == null) {
      stagger = loop.schedule(this::staggered, STAGGER_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private void stopStagger() {
    if (stagger != null) {
      stagger.cancel(false);
      stagger = null;
    }
  }

  private void staggered() {
    stagger = null;
    dialNext();
  }

  private void settled(
      ChannelFuture future, H handler, Endpoint endpoint, int time, long startNanos) {
    Channel channel = future.channel();
    if (done) {
      channel.close();
      return;
    }
    if (!future.isSuccess()) {
      pending.remove(channel);
      connectFailed(describe(endpoint.socketAddress(), future.cause()));
      if (time < effort.dialsOfEach()) {
        repeating++;
        loop.schedule(() -> repeat(endpoint, time + 1), REPEAT_MILLIS, TimeUnit.MILLISECONDS);
        return;
      }
      stopStagger();
      dialNext();
      return;
    }
    outcome.reached(endpoint, loop.ticker().nanoTime() - startNanos);
    introduce(channel, endpoint);
    if (endpoint.isSecure()) {
      stopStagger();
      handshakes++;
      new Handshake(channel, endpoint, tolerance, new Shaking(channel, handler, endpoint)).begin();
    } else {
      established(channel, handler, endpoint, transport.secured(channel));
    }
  }

  /** Sends the header of the PROXY protocol; without it, nothing else may be sent. */
  private static void introduce(Channel channel, Endpoint endpoint) {
    HopProxyHeader header = endpoint.proxyHeader();
    if (header != null) {
      channel
          .writeAndFlush(Unpooled.wrappedBuffer(header.toBytes()))
          .addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
    }
  }

  /** The handshake of one connection. */
  private final class Shaking implements Handshake.Outcome {
    private final Channel channel;
    private final H handler;
    private final Endpoint endpoint;

    Shaking(Channel channel, H handler, Endpoint endpoint) {
      this.channel = channel;
      this.handler = handler;
      this.endpoint = endpoint;
    }

    @Override
    public void secure(HopTls facts) {
      if (done) {
        channel.close();
        return;
      }
      handshakes--;
      established(channel, handler, endpoint, facts);
    }

    @Override
    public void failed(HandshakeFailure failure) {
      channel.close();
      if (done) {
        return;
      }
      handshakes--;
      pending.remove(channel);
      lastFault = failure.fault();
      lastError = endpoint + ": " + failure.text();
      outcome.insecure(failure);
      dialNext();
    }
  }

  private void established(
      Channel channel, H handler, Endpoint endpoint, @Nullable HopTls secured) {
    finish(channel);
    outcome.connected(handler, channel, endpoint, next, secured);
  }

  private void fail(FetchFailure.Kind kind) {
    finish(null);
    outcome.unreachable(new FetchFailure(kind, lastError, null, lastFault), next);
  }

  private void finish(@Nullable Channel winner) {
    done = true;
    timer.forget(this);
    stopStagger();
    for (Channel channel : pending) {
      if (channel != winner) {
        channel.close();
      }
    }
    pending.clear();
  }

  /** Netty ends its message with the address, too, in the JDK's spelling. */
  private static String describe(InetSocketAddress address, Throwable cause) {
    String message = String.valueOf(cause.getMessage());
    String said = ": " + address;
    String reason =
        message.endsWith(said) ? message.substring(0, message.length() - said.length()) : message;
    return NetUtil.toSocketAddressString(address) + ": " + reason;
  }

  /** The time for all endpoints together is over. */
  @Override
  protected void expired() {
    boolean shaking = handshakes > 0;
    if (shaking) {
      lastFault = TlsFault.TIMEOUT;
      outcome.insecure(new HandshakeFailure(TlsFault.TIMEOUT, TlsFault.TIMEOUT.text()));
    }
    lastError =
        endpoints.get(Math.max(0, next - 1))
            + (shaking ? ": the handshake timed out" : ": connecting timed out");
    fail(shaking ? FetchFailure.Kind.SECURE_CONNECT_TIMEOUT : FetchFailure.Kind.CONNECT_TIMEOUT);
  }
}
