package io.loligo.server.exchange.join;

import io.loligo.server.exchange.client.ClientStream;
import io.loligo.store.inflight.InFlight;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Passes the content of a response on to the client: the range it asked for, at the pace it takes
 * it, up to {@code reply_body_max_size}. Confined to the client's event loop.
 */
final class Delivery {
  /** The state after a piece of content. */
  enum Progress {
    /** More content is wanted. */
    GOES_ON,
    /** The client has the range it asked for. */
    COMPLETE,
    /** The content is larger than allowed, which its head did not say. */
    TOO_LARGE
  }

  private final ClientStream stream;
  private final @Nullable Window window;

  /** Bytes that reply_body_max_size leaves. */
  private long left;

  /** Bytes that may be asked for: the stream buffer, as far as it is free. */
  private long credit;

  /**
   * Begins with the first byte of the content.
   *
   * @param window the range for the client; null: all of the content
   * @param limitBytes largest content; -1: no limit
   */
  Delivery(ClientStream stream, @Nullable Window window, long limitBytes) {
    this.stream = stream;
    this.window = window;
    this.left = limitBytes < 0 ? Long.MAX_VALUE : limitBytes;
  }

  /** The head was sent: asks for content, {@code bufferBytes} at most on its way. */
  void begin(InFlight.@Nullable Subscription subscription, long bufferBytes) {
    credit = bufferBytes;
    grant(subscription);
  }

  /** Passes {@code content}, taken, on. */
  Progress pass(ByteBuf content) {
    left -= content.readableBytes();
    if (left < 0 && window == null) {
      content.release();
      return Progress.TOO_LARGE;
    }
    credit += content.readableBytes();
    if (window == null) {
      stream.content(content);
      return Progress.GOES_ON;
    }
    window.pass(content, stream);
    return window.isThrough() ? Progress.COMPLETE : Progress.GOES_ON;
  }

  /**
   * Asks for as much as was passed on, so that no more than one stream buffer is on its way. If the
   * client does not take it yet, written content goes out first: the stream tells that it takes
   * more only when that has left, and a large head alone may be more than it takes at once.
   */
  void grant(InFlight.@Nullable Subscription subscription) {
    if (subscription == null || credit <= 0) {
      return;
    }
    if (!stream.writable()) {
      stream.flush();
      return;
    }
    long asked = credit;
    credit = 0;
    subscription.request(asked);
  }
}
