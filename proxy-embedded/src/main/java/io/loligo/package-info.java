/**
 * The caching HTTP proxy Loligo as a part of an application. {@link io.loligo.Loligo#start} starts
 * one; an application may run several. The page {@code docs/embedding.md} has examples.
 *
 * <p>This package and {@code io.loligo.junit} are the interface for applications, and stay
 * compatible as {@code CONTRIBUTING.md} says. All other packages may change in every version.
 */
@NullMarked
package io.loligo;

import org.jspecify.annotations.NullMarked;
