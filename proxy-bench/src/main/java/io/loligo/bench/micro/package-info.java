/**
 * JMH benchmarks of parts of the proxy. The head comment of each says what it asks and how to run
 * it.
 *
 * <p>Tests of this module run some of them for their baselines; {@code capacity} uses {@link
 * NoWriter}. JMH runs each benchmark on its own threads. A state of {@code Scope.Thread} belongs to
 * one of them; they share a state of {@code Scope.Benchmark}.
 */
@NullMarked
package io.loligo.bench.micro;

import org.jspecify.annotations.NullMarked;
