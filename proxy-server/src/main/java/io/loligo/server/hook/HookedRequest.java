package io.loligo.server.hook;

import io.loligo.core.message.RequestHead;
import io.loligo.core.message.RequestTarget;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A request as a hook sees it. Borrowed: valid during the call.
 *
 * @param head null: none was read
 * @param target null: none was read
 * @param client the connected client; null: unknown
 */
public record HookedRequest(
    @Nullable RequestHead head,
    @Nullable RequestTarget target,
    @Nullable InetSocketAddress client) {}
