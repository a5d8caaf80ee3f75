/**
 * Limits of bandwidth and of request rates: buckets, the pools that hold them, and the queue of
 * bytes that wait for a bucket.
 *
 * <p>{@code exchange.settings} makes the pools of a configuration. {@code exchange}, {@code
 * downstream} and {@code tunnel} choose a pool for a stream and queue its bytes. This package knows
 * no stream and no request. Buckets, pools and their counts are thread-safe, because all event
 * loops share them; a queue is confined to the loop of its stream ([ADR 29]).
 */
@NullMarked
package io.loligo.server.shaping;

import org.jspecify.annotations.NullMarked;
