/**
 * {@code loligo report}: reads access logs of Squid and Loligo, and draws the thirty-one graphs of
 * Rousskov and Soloviev, "On Performance of Caching Proxies" (1997), as one HTML page.
 *
 * <p>{@code boot} asks {@link LogReport}; nothing else uses this package, and of the server it uses
 * only {@code logfile} and the file of {@code history}. Lines are read and parsed by the thread of
 * the command; a second thread counts. Every table has a limit, whatever a log contains.
 */
@NullMarked
package io.loligo.server.report;

import org.jspecify.annotations.NullMarked;
