package io.loligo.server.whatif;

import java.util.function.IntUnaryOperator;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;

/**
 * The memory tier, for its forecast.
 *
 * @param setting the directive of its size
 * @param largestObject gives the bytes of the largest response that it stores, at least 0
 * @param storedBytes gives the bytes that a response takes, of those that are sent to a client
 * @param sizeBytes gives its present size on any thread; 0: there is none
 * @param roomBytes gives the bytes of responses for which a tier of a size has room
 */
public record MemorySize(
    String setting,
    LongSupplier largestObject,
    IntUnaryOperator storedBytes,
    LongSupplier sizeBytes,
    LongUnaryOperator roomBytes) {}
