/**
 * A caching proxy and a scripted origin for each test: an extension of JUnit 5. {@link
 * io.loligo.junit.LoligoProxy} on a test class or method is enough; {@code docs/embedding.md} has
 * examples.
 *
 * <p>The package is a part of the interface for applications, as {@code io.loligo}.
 */
@NullMarked
package io.loligo.junit;

import org.jspecify.annotations.NullMarked;
