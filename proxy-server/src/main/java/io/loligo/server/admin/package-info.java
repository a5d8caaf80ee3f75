/**
 * The admin port: pages and JSON for people and programs, and the changes that need a secret.
 *
 * <p>{@code boot} builds an {@link AdminServer} and implements its {@link Operations}; {@code jmx}
 * offers the same operations. It reads {@code metrics}, {@code history}, {@code explain} and the
 * numbers of the store. It runs on one thread of its own, never on an event loop of clients.
 */
@NullMarked
package io.loligo.server.admin;

import org.jspecify.annotations.NullMarked;
