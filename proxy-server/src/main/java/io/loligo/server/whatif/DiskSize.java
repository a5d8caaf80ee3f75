package io.loligo.server.whatif;

import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * The tiers in memory and on disk together, for their forecast.
 *
 * @param setting the directive of the size
 * @param largestObject gives the bytes of the largest response that they store, at least 0
 * @param sizeBytes gives their present size on any thread; 0: there is no disk
 * @param meanObjectBytes gives {@code store_avg_object_size}
 * @param onSecondRequest gives whether a response goes to disk only when it arrives for the second
 *     time
 */
public record DiskSize(
    String setting,
    LongSupplier largestObject,
    LongSupplier sizeBytes,
    LongSupplier meanObjectBytes,
    BooleanSupplier onSecondRequest) {}
