/**
 * JMH benchmarks of parts of the proxy. The head comment of each says what it asks and how to run
 * it.
 */
package io.loligo.bench.micro;
