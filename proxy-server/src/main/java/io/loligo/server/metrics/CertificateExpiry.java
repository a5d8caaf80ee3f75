package io.loligo.server.metrics;

/**
 * The rest of the validity of a certificate in use. Immutable.
 *
 * @param port name of its port
 * @param file where it was read
 * @param name the first one that it is for
 * @param seconds until it expires; negative: it has expired
 */
public record CertificateExpiry(String port, String file, String name, long seconds) {}
