package io.loligo.server.upstream.http1;

import io.loligo.core.config.ProxyConfig;
import io.loligo.core.http1.ParseLimits;
import io.loligo.server.time.LoopTimer;
import io.loligo.store.memory.MemoryLedger;
import io.netty.channel.EventLoop;

/**
 * The parts of one event loop that its connections share, and the limits of one configuration.
 * Confined to that loop.
 *
 * @param transit ledger of the bytes in transit
 * @param limits of response heads, chunks and trailers
 */
public record ConnectionContext(
    EventLoop loop,
    LoopTimer timer,
    MemoryLedger transit,
    HeadScratch scratch,
    ParseLimits limits) {
  /** The parts of {@code loop} under {@code config}. */
  public ConnectionContext(
      EventLoop loop, LoopTimer timer, MemoryLedger transit, ProxyConfig config) {
    this(loop, timer, transit, new HeadScratch(), ParseLimits.ofResponses(config));
  }

  /** The same parts under another configuration. */
  public ConnectionContext under(ProxyConfig config) {
    return new ConnectionContext(loop, timer, transit, scratch, ParseLimits.ofResponses(config));
  }

  /** Whether connections of {@code other} have the same limits, so that they may be kept. */
  public boolean hasLimitsOf(ConnectionContext other) {
    return limits.equals(other.limits);
  }
}
