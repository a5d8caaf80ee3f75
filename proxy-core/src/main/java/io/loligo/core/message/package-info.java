/**
 * The terms of HTTP that all versions share: methods, field names, field sections, heads, targets,
 * authorities (RFC 9110).
 *
 * <p>Every package may use it. It uses no other package, and knows no connection and no framing.
 * Names and sets are constants for any thread. A head and its fields belong to one thread at a
 * time; they are reused, so code that waits needs a snapshot.
 */
@NullMarked
package io.loligo.core.message;

import org.jspecify.annotations.NullMarked;
