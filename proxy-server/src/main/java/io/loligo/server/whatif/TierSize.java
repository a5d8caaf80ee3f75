package io.loligo.server.whatif;

import java.util.function.LongSupplier;

/**
 * A tier of the cache, for its curve.
 *
 * @param setting the directive of its size
 * @param largestObject bytes of the largest response that it stores, at least 0
 * @param overheadBytes of each response, beside the bytes that are sent to a client
 * @param sizeBytes gives its present size on any thread; 0: there is none
 */
public record TierSize(
    String setting, long largestObject, int overheadBytes, LongSupplier sizeBytes) {}
