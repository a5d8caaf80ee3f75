/**
 * The parts of an exchange with a client that all versions of HTTP share: the record, calls that do
 * not re-enter, the content of the request, and the pace of the response.
 *
 * <p>A version builds its streams from them; they know {@code connection} and {@code exchange}, and
 * no version. Everything is confined to the event loop of the client's connection.
 */
@NullMarked
package io.loligo.server.downstream.stream;

import org.jspecify.annotations.NullMarked;
