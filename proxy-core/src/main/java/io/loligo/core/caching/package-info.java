/**
 * Decisions on storing, reuse and validation (RFC 9111), as pure functions of time, request, stored
 * response and settings.
 *
 * <p>{@code exchange} requests decisions; the store keeps {@link StoredMeta} and keys. It uses
 * {@code core.message}, {@code core.structured}, and for its settings {@code core.config} and
 * {@code core.acl}. Values are immutable, functions are for any thread; only {@link KeyProbe} is
 * reused by one thread.
 */
@NullMarked
package io.loligo.core.caching;

import org.jspecify.annotations.NullMarked;
