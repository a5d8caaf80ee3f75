/**
 * The life of a request in any version of HTTP. {@code RequestSteps} takes a request through its
 * steps. One subpackage holds the code of each step.
 *
 * <p>{@code boot} creates the steps of each event loop, and {@code downstream} passes requests to
 * them. The steps use every subpackage. No subpackage uses the steps, and the subpackages have no
 * cycles. Everything is confined to the event loop of the client.
 */
@NullMarked
package io.loligo.server.exchange;

import org.jspecify.annotations.NullMarked;
