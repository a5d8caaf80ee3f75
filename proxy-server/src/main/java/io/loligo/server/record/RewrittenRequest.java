package io.loligo.server.record;

import io.loligo.core.message.RequestHead;
import io.loligo.core.message.RequestTarget;
import org.jspecify.annotations.Nullable;

/**
 * The request that a rewriter made of the client's. Immutable, as long as nobody changes its parts.
 *
 * @param head the client's with another target, a snapshot
 * @param target of {@code head}
 * @param hostField the value of Host that is sent; null: that of {@code target}
 * @param elsewhere whether its host or port differs from the client's
 */
public record RewrittenRequest(
    RequestHead head, RequestTarget target, @Nullable String hostField, boolean elsewhere) {}
