/**
 * Structured fields (RFC 9651): from text to values.
 *
 * <p>{@code core.caching} uses it. It knows no field by name. Pure functions without state, for any
 * thread.
 */
@NullMarked
package io.loligo.core.structured;

import org.jspecify.annotations.NullMarked;
