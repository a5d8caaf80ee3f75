/**
 * Questions of neighbours about stored responses, which arrive outside of HTTP. A question runs the
 * rules of a real request, and neither sends nor changes anything.
 *
 * <p>This package uses {@code rules} and {@code hit}. Only {@code RequestSteps} makes its objects;
 * {@code boot} asks. Confined to the event loop.
 */
@NullMarked
package io.loligo.server.exchange.neighbour;

import org.jspecify.annotations.NullMarked;
