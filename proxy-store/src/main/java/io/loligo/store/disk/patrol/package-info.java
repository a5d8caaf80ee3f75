/**
 * Verifying stored responses, a little at a time, and dropping those that purged patterns cover.
 * Only the directory uses it; it uses the context and the parts below. Confined to disk threads,
 * one at a time.
 */
@NullMarked
package io.loligo.store.disk.patrol;

import org.jspecify.annotations.NullMarked;
