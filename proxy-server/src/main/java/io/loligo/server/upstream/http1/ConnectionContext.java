package io.loligo.server.upstream.http1;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.time.LoopTimer;
import io.loligo.store.memory.MemoryLedger;
import io.netty.channel.EventLoop;
import java.util.function.Supplier;

/**
 * What the connections of one event loop share. Confined to that loop.
 *
 * @param config the configuration in force
 * @param transit ledger of what is on its way
 */
public record ConnectionContext(
    EventLoop loop,
    LoopTimer timer,
    Supplier<ProxyConfig> config,
    MemoryLedger transit,
    HeadScratch scratch) {}
