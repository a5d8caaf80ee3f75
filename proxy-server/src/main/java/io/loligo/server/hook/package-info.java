/**
 * The code of an application that runs the proxy inside itself, as the server calls it.
 *
 * <p>{@code exchange} and {@code boot} call it; it uses only the core and {@code record}.
 * Everything is called on the event loops.
 */
@NullMarked
package io.loligo.server.hook;

import org.jspecify.annotations.NullMarked;
