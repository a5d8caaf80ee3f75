package io.loligo.server.tls;

import java.security.cert.X509Certificate;
import org.jspecify.annotations.Nullable;

/**
 * The server in whose place the proxy does a handshake. Immutable.
 *
 * @param name the name or the address that the client asked for, in lower case
 * @param certificate the verified certificate of the server, which the one of the proxy mimics;
 *     null: there is none, so the certificate is for the name
 */
public record ServerIdentity(String name, @Nullable X509Certificate certificate) {}
