/**
 * Requests for parts of content (RFC 9110 section 14), and the joining of stored parts.
 *
 * <p>{@code exchange} uses it. It uses {@code core.message} and {@code core.caching}. Pure
 * functions without state, for any thread.
 */
@NullMarked
package io.loligo.core.range;

import org.jspecify.annotations.NullMarked;
