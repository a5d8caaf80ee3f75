/**
 * Objects of which this process is the origin.
 *
 * <p>{@code boot} puts {@code OwnObjects} before the upstream of each event loop; {@code route} and
 * {@code exchange} know their host. Everything is confined to one event loop.
 */
@NullMarked
package io.loligo.server.upstream.own;

import org.jspecify.annotations.NullMarked;
