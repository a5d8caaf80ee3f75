/**
 * Logs as files and their lines: plain or gzip, read without a copy of each line.
 *
 * <p>{@code check} and {@code report} use it; it uses no other package of the server. Everything is
 * confined to one thread.
 */
@NullMarked
package io.loligo.server.logfile;

import org.jspecify.annotations.NullMarked;
