/**
 * The history of counters, gauges and times inside the process: the last 5 minutes by second, hour
 * by 10 seconds, day by minute, and 30 days by 10 minutes (ADR 30).
 *
 * <p>{@code boot} lists the numbers in {@link HistorySources} and starts a {@link HistoryRecorder}.
 * Everybody else reads its {@link History}: {@code read} gives the points of a range one after the
 * other, {@code last} one sum of the last seconds, each as an {@link Interval}. It knows {@code
 * counts}, {@code metrics}, {@code record} and the numbers of the store.
 *
 * <p>One thread, {@code loligo-history}, takes a sample each second; another writes the file. Any
 * thread reads, except event loops of clients: reading decodes up to 24 MB.
 */
@NullMarked
package io.loligo.server.history;

import org.jspecify.annotations.NullMarked;
