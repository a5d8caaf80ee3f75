package io.loligo.server.exchange.request;

import io.loligo.core.message.Fields;
import io.loligo.core.message.ParseFailure;
import io.loligo.server.exchange.client.ClientEvents;
import io.netty.buffer.ByteBuf;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A request that waits for another party: a name server, a disk, or the rest of its own content. It
 * receives the client's events until {@link #resume} supplies the next part of the exchange, and
 * forwards them to that part afterwards. Confined to the client's event loop.
 *
 * <p>The request is a snapshot. No content arrives during the wait, because no part requests any.
 */
public class Suspension implements ClientEvents {
  private final Request request;
  private @Nullable ClientEvents next;
  private boolean resumed;
  private boolean gone;
  private @Nullable Runnable cancel;

  /** Suspends {@code request}, a snapshot. */
  public Suspension(Request request) {
    this.request = request;
  }

  /** The suspended request, a snapshot. */
  protected final Request request() {
    return request;
  }

  /** Whether the client has left. The request then needs no more work. */
  public final boolean over() {
    return gone;
  }

  /** If the client leaves during the wait, {@code task} runs once. */
  public final void whenGone(Runnable task) {
    if (!resumed) {
      cancel = task;
    }
  }

  /** Whether the wait is over. */
  protected final boolean resumed() {
    return resumed;
  }

  /**
   * Ends the wait and runs {@code step}, unless the client has left. {@code step} returns the next
   * part of the exchange, or null if the response is complete. If {@code step} throws, the stream
   * answers with {@link io.loligo.server.exchange.client.ClientStream#failed}.
   */
  public final void resume(Supplier<@Nullable ClientEvents> step) {
    if (gone) {
      return;
    }
    try {
      next = step.get();
      resumed = true;
      if (gone && next != null) {
        next.gone(); // the client left while the next part began
      }
    } catch (RuntimeException | OutOfMemoryError failure) {
      resumed = true;
      request.stream().failed(failure);
    }
  }

  @Override
  public void content(ByteBuf content) {
    if (next != null) {
      next.content(content);
    } else {
      content.release();
    }
  }

  @Override
  public void contentEnd(@Nullable Fields trailers) {
    if (next != null) {
      next.contentEnd(trailers);
    }
  }

  @Override
  public void contentFailed(ParseFailure failure) {
    if (next != null) {
      next.contentFailed(failure);
    }
  }

  @Override
  public void writable() {
    if (next != null) {
      next.writable();
    }
  }

  @Override
  public void gone() {
    gone = true;
    if (next != null) {
      next.gone();
    } else if (cancel != null && !resumed) {
      cancel.run();
    }
  }
}
