/**
 * Decisions that several steps share: cache keys, allowed destinations, the reuse of stored
 * responses, storability, and the fields that are sent on. They combine the functions of {@code
 * core.caching} with the configuration.
 *
 * <p>The rules use {@code request} and {@code settings}. They send nothing and begin no fetch.
 * Confined to one event loop, because they use scratch objects.
 */
@NullMarked
package io.loligo.server.exchange.rules;

import org.jspecify.annotations.NullMarked;
