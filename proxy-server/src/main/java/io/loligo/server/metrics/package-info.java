/**
 * Counters, gauges and histograms of each event loop, and their sums.
 *
 * <p>A loop counts in its {@link LoopMetrics}, without locks and without allocation. {@code admin}
 * and {@code jmx} read the sums from any thread. It knows the records of {@code record} and the
 * numbers of the store, and no connections.
 */
@NullMarked
package io.loligo.server.metrics;

import org.jspecify.annotations.NullMarked;
