package io.loligo.cluster.group;

import java.net.InetSocketAddress;

/**
 * A node as the others know it. Immutable.
 *
 * @param name for logs and pages
 * @param address of its group messages
 * @param bodies of its peer port
 * @param weight its share of the keys, from 1; those of all members together are the whole
 * @param draining whether it owns no keys any more
 * @param protocol version of the messages that it understands
 */
public record Member(
    NodeRun id,
    String name,
    InetSocketAddress address,
    InetSocketAddress bodies,
    int weight,
    boolean draining,
    int protocol) {}
