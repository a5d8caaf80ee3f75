/**
 * The directives of the proxy's own pages: {@code deny_info}, {@code error_directory}, languages.
 *
 * <p>The settings of the exchange hold the pages; {@code answer} and {@code check} use them.
 * Everything is immutable.
 */
@NullMarked
package io.loligo.server.exchange.settings.pages;

import org.jspecify.annotations.NullMarked;
