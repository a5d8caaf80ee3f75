/**
 * The life of a request, in any version of HTTP: {@code RequestSteps} takes it through its steps,
 * and one subpackage has the code of each step.
 *
 * <p>{@code boot} makes the steps of each event loop, and {@code downstream} gives them requests.
 * The steps use every subpackage; no subpackage uses them, and subpackages have no cycles. All is
 * confined to the event loop of the client.
 */
package io.loligo.server.exchange;
