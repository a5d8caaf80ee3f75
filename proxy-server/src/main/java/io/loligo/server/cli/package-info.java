/**
 * The command line: the main class, a class for each command, and the calls of a running proxy.
 *
 * <p>Commands are picocli's: their texts, examples and exit statuses are annotations, from which
 * {@code docs/reference/commands.md} is generated. It uses {@code boot} and what reads logs and
 * configurations; no package uses it. Main thread.
 */
@NullMarked
package io.loligo.server.cli;

import org.jspecify.annotations.NullMarked;
