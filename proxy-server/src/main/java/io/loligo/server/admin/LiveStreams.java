package io.loligo.server.admin;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.util.concurrent.ScheduledFuture;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connections that get the state of the proxy each second, as server-sent events (HTML Living
 * Standard, section 9.2). Confined to the admin server's event loop.
 *
 * <p>An event is a whole state, so a slow reader misses some: nothing is queued for a connection
 * that is not writable. It is closed if it misses {@value #MOST_MISSED} in a row. At most {@value
 * #MOST} are open. Without any, no state is made.
 */
final class LiveStreams {
  static final int MOST = 16;
  static final int MOST_MISSED = 30;

  private static final Logger LOG = LoggerFactory.getLogger(LiveStreams.class);

  private final Supplier<String> state;

  /** Open connections, with the events that each has missed in a row. */
  private final Map<Channel, Integer> missed = new LinkedHashMap<>();

  /** Null without a connection. */
  private @Nullable ScheduledFuture<?> ticking;

  /**
   * @param state makes the state, one line; on the admin loop
   */
  LiveStreams(Supplier<String> state) {
    this.state = state;
  }

  /** The response to a request for a stream. */
  AdminReply answer() {
    return missed.size() < MOST
        ? AdminReply.events(this::open)
        : AdminReply.retry(503, "too many live pages are open", 10);
  }

  /** Sends events from now on, the first one at once. */
  void open(ChannelHandlerContext context) {
    Channel channel = context.channel();
    missed.put(channel, 0);
    channel.closeFuture().addListener(closed -> forget(channel));
    ByteBuf event = event();
    send(channel, event);
    event.release();
    if (ticking == null) {
      ticking = context.executor().scheduleAtFixedRate(this::tick, 1, 1, TimeUnit.SECONDS);
    }
  }

  private void forget(Channel channel) {
    missed.remove(channel);
    if (missed.isEmpty() && ticking != null) {
      ticking.cancel(false);
      ticking = null;
    }
  }

  /** A second is over. */
  private void tick() {
    ByteBuf event = event();
    for (Channel channel : new ArrayList<>(missed.keySet())) {
      send(channel, event);
    }
    event.release();
  }

  /** Borrows {@code event}. */
  private void send(Channel channel, ByteBuf event) {
    if (channel.isWritable()) {
      missed.replace(channel, 0);
      channel.writeAndFlush(new DefaultHttpContent(event.retainedDuplicate()));
    } else if (missed.merge(channel, 1, Integer::sum) >= MOST_MISSED) {
      channel.close();
    }
  }

  /** Returns owned: the event, or a comment that keeps the connection alive. */
  private ByteBuf event() {
    String text;
    try {
      text = "data: " + state.get() + "\n\n";
    } catch (RuntimeException e) {
      LOG.warn(
          "no state for the live page in this second; next: report this defect, with the trace", e);
      text = ":\n\n";
    }
    return Unpooled.copiedBuffer(text, StandardCharsets.UTF_8).touch("an event of the live page");
  }
}
