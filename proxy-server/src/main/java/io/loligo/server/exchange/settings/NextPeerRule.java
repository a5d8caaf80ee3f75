package io.loligo.server.exchange.settings;

import io.loligo.core.acl.AclList;
import io.loligo.server.upstream.StatusSet;

/**
 * One {@code loligo_next_peer_on} line. Immutable.
 *
 * @param access the requests that it is about
 */
public record NextPeerRule(StatusSet statuses, AclList access) {}
