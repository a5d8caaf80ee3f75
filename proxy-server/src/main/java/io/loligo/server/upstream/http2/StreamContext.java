package io.loligo.server.upstream.http2;

import io.loligo.server.time.LoopTimer;
import io.loligo.store.memory.MemoryLedger;
import io.netty.channel.EventLoop;

/**
 * The parts of one event loop that its connections share, under every configuration. Confined to
 * that loop.
 *
 * @param transit ledger of the bytes in transit
 */
public record StreamContext(
    EventLoop loop, LoopTimer timer, MemoryLedger transit, HeadCodecs codecs) {}
