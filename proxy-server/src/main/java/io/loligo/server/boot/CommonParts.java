package io.loligo.server.boot;

import io.loligo.server.exchange.rules.OwnAddresses;
import io.loligo.server.helper.Helpers;
import io.loligo.server.hook.Hooks;
import io.loligo.server.manager.ManagerDesk;
import io.loligo.server.peer.PeerDigests;
import io.loligo.server.peer.PeerHealth;
import io.loligo.server.peer.ask.Asker;
import io.loligo.server.time.TimeSource;
import io.loligo.server.upstream.CacheOwners;
import io.loligo.server.upstream.PeerTokens;
import io.loligo.server.upstream.connect.OriginTransport;
import io.loligo.server.upstream.own.OwnDigest;
import io.loligo.store.Store;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The parts that all event loops use. Thread-safe.
 *
 * @param transport opens connections to origins
 * @param resolvers makes the resolver of each loop
 * @param asker asks peers for responses
 * @param peerDigests those of peers
 * @param tokens makes the credentials of requests to peers
 * @param own addresses of this process
 * @param digest of the stored responses, for neighbours
 * @param manager makes the manager pages
 * @param owners makes the view of each loop of the nodes that share one cache; null: there are none
 * @param hooks of the application that runs the proxy in itself
 */
record CommonParts(
    OriginTransport transport,
    Loop.Names resolvers,
    Store store,
    PeerHealth health,
    Asker asker,
    PeerDigests peerDigests,
    PeerTokens tokens,
    OwnAddresses own,
    OwnDigest digest,
    Helpers helpers,
    ManagerDesk manager,
    Hooks hooks,
    @Nullable Supplier<CacheOwners> owners,
    TimeSource time) {}
