/**
 * Squid's manager pages: their names, their passwords, and their text in the form that monitoring
 * tools read (docs/manager.md).
 *
 * <p>{@code boot} gathers the numbers and gives them to {@link ManagerPages}. {@code exchange}
 * decides whether a request may have a page, and asks the {@link ManagerDesk} for it. The package
 * knows {@code metrics}, {@code history}, {@code traffic}, {@code record} and the numbers of the
 * store, and no connections.
 *
 * <p>Pages are made on a thread of their own: never on an event loop.
 */
@NullMarked
package io.loligo.server.manager;

import org.jspecify.annotations.NullMarked;
