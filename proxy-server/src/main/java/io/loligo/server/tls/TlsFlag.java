package io.loligo.server.tls;

/** A word of {@code flags=} or {@code sslflags=}, as Squid spells it. */
public enum TlsFlag {
  /** The certificate of the peer is not verified. */
  DONT_VERIFY_PEER,
  /** The name in the certificate of the peer is not verified. */
  DONT_VERIFY_DOMAIN,
  /** The authorities of the system are not trusted. */
  NO_DEFAULT_CA,
  /** No session is resumed. */
  NO_SESSION_REUSE,
  /** The certificate of the peer must not be in {@code crlfile=}. */
  VERIFY_CRL,
  /** The same for all certificates of its chain. */
  VERIFY_CRL_ALL,
  /** Certificates of clients are not requested in the handshake. */
  DELAYED_AUTH,
  /** A client may present no certificate. */
  CONDITIONAL_AUTH
}
