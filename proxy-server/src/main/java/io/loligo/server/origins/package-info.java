/**
 * Causes for which responses of an origin are not stored, or are fetched again in vain: {@link
 * OriginLint} takes the finished exchanges of each event loop, and the fetches that ended without
 * one, finds each {@link OriginFault} in them, and gives an {@link OriginReport}.
 *
 * <p>It knows the record of an exchange, the core, and the bounded tables of {@code traffic}, whose
 * threading it shares.
 */
@NullMarked
package io.loligo.server.origins;

import org.jspecify.annotations.NullMarked;
