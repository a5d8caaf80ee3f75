package io.loligo.server.cluster;

/**
 * A line of {@code loligo_cluster_tls}: three files. Immutable.
 *
 * @param cert certificate of this node, and its chain
 * @param key of the certificate
 * @param ca authorities that signed the certificates of the nodes
 * @param source file and number of the line
 */
public record ClusterTlsLine(String cert, String key, String ca, String source) {}
