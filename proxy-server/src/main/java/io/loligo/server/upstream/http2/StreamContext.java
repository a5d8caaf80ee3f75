package io.loligo.server.upstream.http2;

import io.loligo.core.config.ProxyConfig;
import io.loligo.core.http1.ParseLimits;
import io.loligo.server.time.LogRateLimit;
import io.loligo.server.time.LoopTimer;
import io.loligo.store.memory.MemoryLedger;
import io.netty.channel.EventLoop;

/**
 * The parts of one event loop that its connections share, and the limits of one configuration.
 * Confined to that loop.
 *
 * @param transit ledger of the bytes in transit
 * @param brokenRules limits log lines about servers that break the rules
 * @param limits of response heads and trailers
 */
public record StreamContext(
    EventLoop loop,
    LoopTimer timer,
    MemoryLedger transit,
    HeadCodecs codecs,
    LogRateLimit brokenRules,
    ParseLimits limits) {
  /** The parts of {@code loop} under {@code config}. */
  public StreamContext(EventLoop loop, LoopTimer timer, MemoryLedger transit, ProxyConfig config) {
    this(
        loop,
        timer,
        transit,
        new HeadCodecs(),
        new LogRateLimit(loop.ticker()::nanoTime),
        ParseLimits.ofResponses(config));
  }

  /** The same parts under another configuration. */
  public StreamContext under(ProxyConfig config) {
    return new StreamContext(
        loop, timer, transit, codecs, brokenRules, ParseLimits.ofResponses(config));
  }
}
