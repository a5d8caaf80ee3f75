package io.loligo.server.record;

import io.loligo.server.bump.BumpAction;
import org.jspecify.annotations.Nullable;

/**
 * Facts of a tunnel that {@code ssl_bump} has decided about. Immutable.
 *
 * @param action the last action that was chosen
 * @param serverName the name in the first message of the client, in lower case; null: there is
 *     none, or it was not read
 * @param encryptedHello whether that message has the extension Encrypted ClientHello
 */
public record TunnelFacts(BumpAction action, @Nullable String serverName, boolean encryptedHello) {}
