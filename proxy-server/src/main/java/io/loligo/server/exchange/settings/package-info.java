/**
 * The directives of exchanges, and their values in one configuration.
 *
 * <p>{@code boot} creates the settings at each reload. Every subpackage of {@code exchange} may
 * read them. The directives depend on no other subpackage. Fields, pages of the proxy and programs
 * have packages of their own below this one. Everything is immutable.
 */
@NullMarked
package io.loligo.server.exchange.settings;

import org.jspecify.annotations.NullMarked;
