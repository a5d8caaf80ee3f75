/**
 * The directives of helper programs: of ACLs, of the rewriter and of the program for store ids.
 *
 * <p>The settings of the exchange hold them; {@code admission} asks the programs, {@code boot}
 * starts them. Everything is immutable.
 */
@NullMarked
package io.loligo.server.exchange.settings.programs;

import org.jspecify.annotations.NullMarked;
