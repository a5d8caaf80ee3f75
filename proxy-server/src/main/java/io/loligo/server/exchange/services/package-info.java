/**
 * The parts of one event loop that exchanges use, gathered in one object without behaviour, and the
 * state that the loop keeps between requests.
 *
 * <p>{@code boot} creates it; the steps and their subpackages read it. Confined to the event loop.
 */
@NullMarked
package io.loligo.server.exchange.services;

import org.jspecify.annotations.NullMarked;
