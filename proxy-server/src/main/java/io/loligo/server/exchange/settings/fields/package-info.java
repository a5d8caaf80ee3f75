/**
 * The directives that change fields of messages, and the rules that they make.
 *
 * <p>The settings of the exchange hold the rules; {@code rules} applies them. Everything is
 * immutable.
 */
@NullMarked
package io.loligo.server.exchange.settings.fields;

import org.jspecify.annotations.NullMarked;
