/**
 * Judges a configuration without running it: what is wrong with its lines and between them, and how
 * its rules decide about a request that no client sends.
 *
 * <p>{@code boot} asks; nothing else uses this package. Rules are evaluated by the classes of a
 * running proxy. Everything is confined to the thread of a command.
 */
@NullMarked
package io.loligo.server.check;

import org.jspecify.annotations.NullMarked;
