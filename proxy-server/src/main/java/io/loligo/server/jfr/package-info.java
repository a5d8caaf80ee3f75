/**
 * Events for Java Flight Recorder: one for an exchange, a handshake of TLS and a call of a helper.
 * {@link FlightEvents} begins them; the code that it times ends them. It may use the record of an
 * exchange, and nothing that it times. The events of the disk are in the store's package {@code
 * disk.medium}.
 *
 * <p>Any thread may begin and end an event; one event is confined to its exchange, handshake or
 * call.
 */
@NullMarked
package io.loligo.server.jfr;

import org.jspecify.annotations.NullMarked;
