package io.loligo.server.upstream;

/**
 * A tunnel to be opened. Immutable.
 *
 * @param host without brackets
 * @param port of the server
 * @param fieldLines field lines of the CONNECT to a parent, besides Host and credentials; not to be
 *     changed
 */
public record OutgoingConnect(String host, int port, byte[] fieldLines) {}
