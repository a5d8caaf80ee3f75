package io.loligo.server.record;

import org.jspecify.annotations.Nullable;

/**
 * The id of an exchange, for another one. Immutable.
 *
 * @param prefix see {@link ExchangeRecord#idPrefix}
 * @param number see {@link ExchangeRecord#number}; 0: it has none of its own
 * @param given see {@link ExchangeRecord#givenId}
 */
public record ExchangeId(long prefix, long number, @Nullable String given) {}
