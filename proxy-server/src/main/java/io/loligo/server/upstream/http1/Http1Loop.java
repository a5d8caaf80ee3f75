package io.loligo.server.upstream.http1;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.time.LoopTimer;
import io.netty.channel.EventLoop;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * What the connections of one event loop share. Confined to that loop.
 *
 * @param config the configuration in force
 * @param scarce whether memory for what is read is scarce
 */
public record Http1Loop(
    EventLoop loop,
    LoopTimer timer,
    Supplier<ProxyConfig> config,
    BooleanSupplier scarce,
    HeadScratch scratch) {}
