/**
 * One cache of many nodes: which node owns a key, which node is asked, and which requests may use
 * the response.
 *
 * <p>Decisions only: no sockets, no threads, no clock. Times are nanoseconds of a clock that never
 * goes back. {@link io.loligo.cluster.share.Ring} and {@link io.loligo.cluster.share.PurgeVector}
 * are immutable, and a node publishes each by one reference. An event loop has {@link
 * io.loligo.cluster.share.PeerRequests} of its own.
 *
 * <p>The rules for the code that carries out the decisions; {@code ShareSimulationTest} breaks each
 * one and finds it broken, and ADR 43 has the reasons:
 *
 * <ol>
 *   <li>A request with {@code Peer-Hop: 1} goes to no owner, whatever the ring says. It may join a
 *       fetch from the origin, and no fetch from a peer: with different views two nodes would wait
 *       for each other.
 *   <li>A request with {@code only-if-cached} is answered from stored responses, or with 504.
 *   <li>A node reads {@link io.loligo.cluster.share.AppliedPurges#applied} before it looks for the
 *       response to a peer's request, and sends that vector with the response.
 *   <li>A node takes {@link io.loligo.cluster.share.AppliedPurges#claim} after its fetch can be
 *       ended by a purge, and before it sends the request.
 *   <li>If the answer of the owner or the second does not cover the claim, only the request that
 *       began the fetch may use the response. Others that wait look again, and nothing is stored. A
 *       304 of a peer then refreshes nothing.
 *   <li>If the answer of a previous owner does not cover the claim, it is a miss.
 *   <li>A purge ends fetches from peers, and removes copies, as it does for those from origins.
 * </ol>
 */
@NullMarked
package io.loligo.cluster.share;

import org.jspecify.annotations.NullMarked;
