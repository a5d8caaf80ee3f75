package io.loligo.server.exchange.tunnel;

import io.loligo.core.message.Fields;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.exchange.client.ClientEvents;
import io.loligo.server.upstream.OriginEvents;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * The events of a CONNECT on both sides. It has no content, and neither has its response: those
 * events never come. Confined to the client's event loop.
 */
public abstract class ConnectEvents implements ClientEvents, OriginEvents {
  @Override
  public final void content(ByteBuf content) {
    content.release();
  }

  @Override
  public final void contentEnd(@Nullable Fields trailers) {}

  @Override
  public final void contentFailed(ParseFailure failure) {}

  @Override
  public void writable() {}

  @Override
  public final void readyForContent() {}

  @Override
  public final void interim(ResponseHead reply) {}

  @Override
  public final void readComplete() {}

  @Override
  public final void end(@Nullable Fields trailers) {}
}
