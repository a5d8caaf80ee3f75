package io.loligo.server.record;

import io.loligo.server.bump.BumpAction;
import io.loligo.server.tls.ClientHello;
import org.jspecify.annotations.Nullable;

/**
 * Facts of a tunnel that {@code ssl_bump} has decided about. Immutable.
 *
 * @param action the last action that was chosen
 * @param hello the first message of the client; null: it was not read
 */
public record TunnelFacts(BumpAction action, @Nullable ClientHello hello) {}
