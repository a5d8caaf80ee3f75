package io.loligo.core.acl;

import io.loligo.core.message.Fields;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The properties of a request that access rules can test. Implemented by the request in progress;
 * confined to its event loop. Addresses are 4 or 16 bytes, network order; IPv4-mapped IPv6 is given
 * as 4.
 */
public interface AclInput {
  /** Squid's word for an address without a name: a rule can match it. */
  String NO_NAME = "none";

  /** Of {@link #connectionMark()}: it was not looked up yet. */
  long UNREAD_MARK = -1;

  /** The client's address (the indirect one if X-Forwarded-For is trusted). */
  byte[] clientAddress();

  byte[] localAddress();

  int localPort();

  /** {@code name=} of the http_port, or its {@code address:port} text. */
  String portName();

  String method();

  /** {@code http}, {@code https}, or for CONNECT the empty string. */
  String scheme();

  /** Host without brackets or port, lower case, no trailing dot. */
  String host();

  int port();

  /** The effective URI. For CONNECT {@code host:port}. */
  String url();

  /** Path and query, percent-decoding left alone; the empty string for CONNECT. */
  String urlPath();

  Fields requestFields();

  /** The response's fields, or null before there is one. */
  @Nullable Fields replyFields();

  /** The response's status, or 0. */
  int replyStatus();

  /**
   * The name that DNS has for {@link #host}, which is an address, in lower case; {@link #NO_NAME}:
   * it has none; null: it was not looked up yet.
   */
  default @Nullable String destinationName() {
    return NO_NAME;
  }

  /** The destination's addresses, null while the name has not been resolved. */
  @Nullable List<byte[]> destinationAddresses();

  /**
   * Squid's names of the faults of the server's certificate: the one that is decided about, or all
   * that were found; empty where none is known.
   */
  default List<String> certificateFaults() {
    return List.of();
  }

  /**
   * The step of {@code ssl_bump} that is decided now, 1 to 3; 0: none is, which {@code at_step}
   * takes for the first.
   */
  default int bumpStep() {
    return 0;
  }

  /** The name that the client asked for in its handshake with the server, or {@link #host}. */
  default String requestedServerName() {
    return host();
  }

  /**
   * The names in the certificate of the TLS server, in lower case, perhaps with {@code *.} before
   * them; null: the certificate is not known.
   */
  default @Nullable List<String> certifiedServerNames() {
    return null;
  }

  /** Whether all connections of the transaction have TLS, as far as there are any. */
  default boolean isEncrypted() {
    return false;
  }

  /** Whether a client has sent the request. */
  default boolean isOfClient() {
    return true;
  }

  /** Open connections from the client's address. */
  int clientConnections();

  /**
   * An attribute of the client's verified certificate, or null: it has none, or there is no
   * certificate.
   *
   * @param issuer whether the name of its issuer is asked for; else that of its subject
   * @param attribute {@code DN} for the whole name, such as {@code /O=Example/CN=client}; else a
   *     part of it: {@code CN}, {@code O}, an object identifier
   */
  default @Nullable String certificateName(boolean issuer, String attribute) {
    return null;
  }

  /**
   * The client's verified certificate in PEM, or null: there is none.
   *
   * @param chain whether the others that the client has sent follow
   */
  default @Nullable String certificatePem(boolean chain) {
    return null;
  }

  /** What is known of the answer of a helper. */
  default ExternalAcl.Answer external(ExternalAcl acl) {
    return ExternalAcl.Answer.UNDECIDED;
  }

  /** The user that helpers of ACLs have told, each character one byte; null: none. */
  default @Nullable String externalUser() {
    return null;
  }

  /** The first tag that a helper of an ACL has told; null: none. */
  default @Nullable String externalTag() {
    return null;
  }

  /** What is known about the user. The user of a request with one counts as asked for. */
  default LoginState login() {
    return LoginState.NO_LOGIN;
  }

  /**
   * The name of the user, each character one byte; null: {@link #login} is not {@link
   * LoginState#KNOWN}.
   */
  default @Nullable String user() {
    return null;
  }

  /**
   * Whether the user has more than {@code most} addresses at present. If so, all of them are
   * forgotten.
   *
   * @param strict whether only the address of this request is forgotten
   */
  default boolean hasMoreAddresses(int most, boolean strict) {
    return false;
  }

  /** The notes of the request. */
  default Notes notes() {
    return Notes.NONE;
  }

  /** Replaces {@link #notes()}: rules may annotate. */
  default void notes(Notes replaced) {}

  /**
   * The notes of the client's connection, which its later requests get too; null: no connection of
   * a client is known.
   */
  default @Nullable Notes clientNotes() {
    return null;
  }

  /** Replaces {@link #clientNotes()}. */
  default void clientNotes(Notes replaced) {}

  /** The name that DNS has for the client's address; as {@link #destinationName}. */
  default @Nullable String clientName() {
    return NO_NAME;
  }

  /**
   * The MAC address of the client in the form of {@link HardwareAddress#mac}; the empty string: it
   * is not known on this network; null: it was not looked up yet.
   */
  default @Nullable String clientHardware() {
    return "";
  }

  /**
   * Netfilter's mark of the client's connection, 0 to 0xFFFFFFFF; 0: it has none; {@link
   * #UNREAD_MARK}.
   */
  default long connectionMark() {
    return 0;
  }

  /** Squid's code of the way that the request took, such as {@code HIER_DIRECT}. */
  default String hierarchyCode() {
    return "HIER_NONE";
  }

  /** The name of the cache_peer that the request is sent to; null: none. */
  default @Nullable String peerName() {
    return null;
  }

  /** Whether the ICAP service, set or chain {@code name} was chosen for the message. */
  default boolean isAdaptedBy(String name) {
    return false;
  }

  /**
   * Squid's name of the proxy's own page that is sent, such as {@code ERR_DNS_FAIL}; null: none.
   */
  default @Nullable String errorPage() {
    return null;
  }

  /** The user information in the URL, percent-encoded; null: none. */
  default @Nullable String urlLogin() {
    return null;
  }

  /**
   * The SHA-1 digest of the certificate of the server, as {@code AA:BB:...}; null: it is not known.
   */
  default @Nullable String serverFingerprint() {
    return null;
  }

  /** Wall clock, milliseconds since the epoch. */
  long nowMillis();
}
