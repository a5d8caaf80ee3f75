/**
 * Decisions that several steps share: keys, destinations, the use of stored responses, and whether
 * responses are stored. They join the functions of {@code core.caching} with the configuration.
 *
 * <p>They use {@code request} and {@code settings}, send nothing and begin nothing. Confined to one
 * event loop, because they compose in scratch objects.
 */
package io.loligo.server.exchange.rules;
