/**
 * The facts about one finished exchange, and the enumerations that name them in Squid's terms.
 *
 * <p>{@code downstream} and {@code exchange} write an {@link ExchangeRecord}; {@code accesslog},
 * {@code metrics} and {@code explain} read it once through an {@link ExchangeSink}. Confined to the
 * event loop of the client.
 */
@NullMarked
package io.loligo.server.record;

import org.jspecify.annotations.NullMarked;
