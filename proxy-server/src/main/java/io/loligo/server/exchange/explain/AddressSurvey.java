package io.loligo.server.exchange.explain;

import io.loligo.core.message.Method;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.services.LoopServices;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds whether the proxy may connect to an address of the origin of a request, by the rules that
 * it asks before it dials. Confined to the loop.
 */
final class AddressSurvey {
  /** The longest wait for a name; a request waits longer. */
  private static final long MAX_MILLIS = 2_000;

  private final LoopServices services;
  private final EventExecutor executor;
  private final Request request;
  private final Consumer<@Nullable String> then;
  private boolean told;

  /**
   * A survey that has not begun.
   *
   * @param then one call, perhaps before {@link #start} returns, with the reason why the proxy may
   *     connect to none of them; null: it may, or no address is known
   */
  AddressSurvey(
      LoopServices services,
      EventExecutor executor,
      Request request,
      Consumer<@Nullable String> then) {
    this.services = services;
    this.executor = executor;
    this.request = request;
    this.then = then;
  }

  void start() {
    List<InetAddress> known = services.upstream.resolved(request.host());
    if (known != null) {
      tell(refusal(known));
      return;
    }
    ScheduledFuture<?> patience =
        executor.schedule(() -> tell(null), MAX_MILLIS, TimeUnit.MILLISECONDS);
    services.upstream.resolve(
        request.host(),
        addresses -> {
          patience.cancel(false);
          tell(refusal(addresses));
        });
  }

  /** One address that it may connect to is enough. */
  private @Nullable String refusal(List<InetAddress> addresses) {
    boolean tunnel = request.head().methodId() == Method.CONNECT;
    String last = null;
    for (InetAddress address : addresses) {
      last = services.destinations.refusal(request, address, request.port(), tunnel);
      if (last == null) {
        return null;
      }
    }
    return last;
  }

  private void tell(@Nullable String refusal) {
    if (!told) {
      told = true;
      then.accept(refusal);
    }
  }
}
