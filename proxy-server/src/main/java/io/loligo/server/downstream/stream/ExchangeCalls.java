package io.loligo.server.downstream.stream;

import io.loligo.core.message.Fields;
import io.loligo.core.message.ParseFailure;
import io.loligo.server.exchange.client.ClientEvents;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * The calls from a stream into its exchange. They are counted, because the exchange may ask for
 * something meanwhile, which is done when the outermost call has returned. The stream is told of a
 * call that fails. Confined to the channel's event loop.
 */
final class ExchangeCalls {
  private final ExchangeStream stream;
  private @Nullable Runnable resumption;
  private boolean resuming;
  private int depth;

  ExchangeCalls(ExchangeStream stream) {
    this.stream = stream;
  }

  /** Whether a call is on the stack below. */
  boolean isInCall() {
    return depth > 0;
  }

  /** A call begins that is not made here. {@link #leave} ends it. */
  void enter() {
    depth++;
  }

  /** Ends a call. */
  void leave() {
    depth--;
  }

  /** Runs {@code answer}, which is part of an exchange. */
  void run(Runnable answer) {
    depth++;
    try {
      answer.run();
    } catch (Throwable e) {
      stream.failed(e);
    } finally {
      depth--;
    }
  }

  /** See {@link ClientEvents#content}. */
  void content(ClientEvents told, ByteBuf data) {
    depth++;
    try {
      told.content(data);
    } catch (Throwable e) {
      stream.failed(e);
    } finally {
      depth--;
    }
  }

  /** See {@link ClientEvents#contentEnd}. */
  void contentEnd(ClientEvents told, @Nullable Fields trailers) {
    depth++;
    try {
      told.contentEnd(trailers);
    } catch (Throwable e) {
      stream.failed(e);
    } finally {
      depth--;
    }
  }

  /** See {@link ClientEvents#contentFailed}. */
  void contentFailed(ClientEvents told, ParseFailure failure) {
    depth++;
    try {
      told.contentFailed(failure);
    } catch (Throwable e) {
      stream.failed(e);
    } finally {
      depth--;
    }
  }

  /** See {@link ClientEvents#writable}. */
  void writable(ClientEvents told) {
    depth++;
    try {
      told.writable();
    } catch (Throwable e) {
      stream.failed(e);
    } finally {
      depth--;
    }
  }

  /** Lets the stream resume when no call is on the stack below. */
  void resumeLater() {
    if (!resuming) {
      resuming = true;
      if (resumption == null) {
        resumption = this::resume;
      }
      stream.loop().execute(resumption);
    }
  }

  private void resume() {
    resuming = false;
    // an embedded loop runs tasks within calls: the caller below continues by itself
    if (depth == 0) {
      stream.resume();
    }
  }
}
