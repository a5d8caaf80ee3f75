/**
 * The parts of one event loop that exchanges use, as one object without behaviour, and what the
 * loop remembers between requests.
 *
 * <p>{@code boot} wires it; the steps and their subpackages read it. Confined to the event loop.
 */
package io.loligo.server.exchange.services;
