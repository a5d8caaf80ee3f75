package io.loligo.server.upstream;

import io.loligo.core.message.StoreId;
import org.jspecify.annotations.Nullable;

/**
 * The form of requests that one hop expects, in every protocol. Immutable.
 *
 * @param absolute whether the target has scheme and authority: for a proxy
 * @param host the value of Host in place of the client's; null: the client's
 * @param credentials the configured value of Proxy-Authorization for a proxy, and of Authorization,
 *     in place of the client's, for an origin server; null: none
 * @param frontEndHttps whether Front-End-Https is added
 * @param passing what the hop learns of the client's login
 * @param withoutLogin whether Authorization of the client is left out: it was for this proxy
 * @param cacheControl the value of Cache-Control in place of the client's; null: the client's
 * @param peerHop what a node of the cluster is told
 */
public record RequestForm(
    boolean absolute,
    @Nullable String host,
    @Nullable String credentials,
    FrontEndHttps frontEndHttps,
    LoginPassing passing,
    boolean withoutLogin,
    @Nullable String cacheControl,
    PeerHop peerHop) {
  /** A hop that gets the client's Cache-Control. */
  public RequestForm(
      boolean absolute,
      @Nullable String host,
      @Nullable String credentials,
      FrontEndHttps frontEndHttps,
      LoginPassing passing,
      boolean withoutLogin) {
    this(absolute, host, credentials, frontEndHttps, passing, withoutLogin, null, PeerHop.NONE);
  }

  /** A hop that learns nothing of the client's login. */
  public RequestForm(
      boolean absolute,
      @Nullable String host,
      @Nullable String credentials,
      FrontEndHttps frontEndHttps) {
    this(absolute, host, credentials, frontEndHttps, LoginPassing.NOTHING, false);
  }

  /** For an origin: the request unchanged. */
  public static final RequestForm DIRECT = new RequestForm(false, null, null, FrontEndHttps.OFF);

  /**
   * For a node of the cluster.
   *
   * @param port the name of the port that the client asked
   * @param stored whether the node answers from its store only, else with 504
   * @param purges those that this node has applied; null: it does not say
   * @param storeId that of the response; null: it has none
   */
  public static RequestForm ofNode(
      String port, boolean stored, @Nullable String purges, @Nullable StoreId storeId) {
    return ofNode(port, stored, purges, storeId, null);
  }

  /** The same for the node with the id {@code node}; null: any. */
  public static RequestForm ofNode(
      String port,
      boolean stored,
      @Nullable String purges,
      @Nullable StoreId storeId,
      @Nullable String node) {
    return ofNode(stored, PeerHop.to(port, purges, storeId, node, /* offers= */ false));
  }

  /**
   * For the node second in rank, which takes a copy if it does not have the response. A node of an
   * earlier version does not. Parameters as above.
   */
  public static RequestForm ofOffer(
      String port, @Nullable String purges, @Nullable StoreId storeId, String node) {
    return ofNode(/* stored= */ true, PeerHop.to(port, purges, storeId, node, /* offers= */ true));
  }

  private static RequestForm ofNode(boolean stored, PeerHop peerHop) {
    return new RequestForm(
        true,
        null,
        null,
        FrontEndHttps.OFF,
        LoginPassing.NOTHING,
        false,
        stored ? "only-if-cached" : null,
        peerHop);
  }

  /** This form for a request with {@code login}. */
  public RequestForm with(ClientLogin login) {
    return switch (passing.kind()) {
      case NAME -> {
        String told = login.helperUser();
        yield with(passing.named(told == null ? login.user() : told), login.isInAuthorization());
      }
      case ALL_OR_TOLD -> {
        String told = login.helperCredentials(!absolute);
        yield told != null
            ? with(told, false)
            : absolute ? with(login.proxyCredentials(), false) : this;
      }
      case ALL -> absolute ? with(login.proxyCredentials(), false) : this;
      case NOTHING -> login.isInAuthorization() ? with(credentials, true) : this;
    };
  }

  /** This form with credentials that were made for one request. */
  public RequestForm withCredentials(String made) {
    return with(made, withoutLogin);
  }

  private RequestForm with(@Nullable String other, boolean without) {
    return new RequestForm(
        absolute, host, other, frontEndHttps, passing, without, cacheControl, peerHop);
  }

  /** This form with {@code value} as Cache-Control; null: the client's. */
  public RequestForm withCacheControl(@Nullable String value) {
    return new RequestForm(
        absolute, host, credentials, frontEndHttps, passing, withoutLogin, value, peerHop);
  }

  /** Whether a parent gets the credentials of the client, so that its challenge is the client's. */
  public boolean passesLogin() {
    return absolute && passing.passesAll();
  }

  /** Whether Authorization of the client is not sent. */
  public boolean dropsAuthorization() {
    return withoutLogin || (!absolute && credentials != null);
  }

  /** Without credentials. */
  @Override
  public String toString() {
    return "RequestForm[absolute=" + absolute + ", host=" + host + "]";
  }
}
