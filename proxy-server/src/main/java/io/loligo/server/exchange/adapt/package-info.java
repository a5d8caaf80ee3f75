/**
 * The passage of requests and responses through ICAP services, whose protocol is in {@code
 * io.loligo.server.adapt}.
 *
 * <p>{@code admission} chooses a service for a request, {@code RequestSteps} begins its adaptation,
 * and {@code fetch} puts that of a response between the origin and itself. Confined to the event
 * loop of the client, or of the fetch.
 */
@NullMarked
package io.loligo.server.exchange.adapt;

import org.jspecify.annotations.NullMarked;
