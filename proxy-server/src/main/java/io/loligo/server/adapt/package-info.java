/**
 * The ICAP client (RFC 3507): services, their options and connections, and the adaptation of one
 * message.
 *
 * <p>{@code exchange} makes an {@code IcapMessage} of a request or a response, and an {@code
 * Adaptation} passes its content through a service. The package knows no exchange and no store. All
 * calls are made on the event loop; the settings are immutable.
 */
@NullMarked
package io.loligo.server.adapt;

import org.jspecify.annotations.NullMarked;
