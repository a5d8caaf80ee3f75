/**
 * The numbers of {@code metrics} and the operations of {@code admin} as MBeans.
 *
 * <p>{@code boot} registers them; no other package uses it. Any thread calls them.
 */
@NullMarked
package io.loligo.server.jmx;

import org.jspecify.annotations.NullMarked;
