package io.loligo.server.port;

import io.loligo.server.tls.TlsOptions;

/**
 * {@code ssl-bump} and its options: the tunnels of the port are inspected. Immutable.
 *
 * @param options of handshakes in decrypted tunnels; its first key pair of an authority signs their
 *     certificates. Without one, no tunnel is decrypted
 * @param cacheBytes {@code dynamic_cert_mem_cache_size=}: memory of kept certificates
 * @param intercepts whether the port gets the bytes of tunnels without a CONNECT: an https_port
 *     that intercepts
 */
public record PortBump(TlsOptions options, long cacheBytes, boolean intercepts) {
  /** The default of {@code dynamic_cert_mem_cache_size=}. */
  static final long DEFAULT_CACHE_BYTES = 4 << 20;
}
