package io.loligo.server.exchange.request;

import io.loligo.core.acl.LoginState;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.RequestTarget;
import io.loligo.core.proxyprotocol.ProxyHeaderVersion;
import io.loligo.core.range.Slice;
import io.loligo.server.login.RequestLogin;
import io.loligo.server.port.Destination;
import io.loligo.server.port.Interception;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.HelperFacts;
import io.loligo.server.record.HierarchyCode;
import io.loligo.server.record.RewrittenRequest;
import io.loligo.server.tls.PeerCertificate;
import io.loligo.server.tls.SessionFacts;
import io.loligo.server.upstream.HopProxyHeader;
import io.loligo.server.upstream.route.RoutedRequest;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request as access rules and routes see it: their answers are computed from the facts of {@link
 * Request}. Has no state. Confined to the client's event loop.
 */
abstract class RuledRequest implements RoutedRequest {
  // ---- the facts

  /** The head. */
  public abstract RequestHead head();

  /** The target and its key rule. */
  public abstract RequestTarget target();

  /** See {@link Request#destination()}. */
  public abstract @Nullable Destination destination();

  /** The record of the exchange; null: it is in the background. */
  abstract @Nullable ExchangeRecord noted();

  /** What a rewriter made of it; null: nothing. */
  public abstract @Nullable RewrittenRequest rewritten();

  /** The login so far, even if no rule has asked for it; null: nobody can log in. */
  public abstract @Nullable RequestLogin foundLogin();

  /** TLS with the client; null: none. */
  abstract @Nullable SessionFacts session();

  /** The proxy's end of the client's connection; null: no client has sent it. */
  abstract @Nullable InetSocketAddress local();

  /** Null: no server is known yet. */
  abstract @Nullable KnownServer knownServer();

  /** What helpers of ACLs have told about this request, beside its notes. */
  abstract HelperFacts told();

  // ---- the answers

  @Override
  public String method() {
    return head().method();
  }

  @Override
  public String scheme() {
    return target().scheme();
  }

  @Override
  public String host() {
    return target().host();
  }

  @Override
  public int port() {
    return target().port();
  }

  @Override
  public String url() {
    return target().url();
  }

  @Override
  public String urlPath() {
    return target().form() == RequestTarget.Form.AUTHORITY
        ? ""
        : new String(
            target().pathBytes(),
            target().pathStart(),
            target().pathEnd() - target().pathStart(),
            StandardCharsets.ISO_8859_1);
  }

  @Override
  public Fields requestFields() {
    return head().fields();
  }

  /** The slice that this request is for; null if it is not for a slice. */
  public @Nullable Slice slice() {
    return target().keyRule() instanceof Slice slice ? slice : null;
  }

  /** Whether this request is for the next slice of a response that has begun. */
  public boolean continuesAnswer() {
    Slice slice = slice();
    return slice != null && slice.continued() != null;
  }

  @Override
  public String portName() {
    return httpPort().name();
  }

  @Override
  public byte[] localAddress() {
    InetSocketAddress local = local();
    return local == null ? NetUtil.LOCALHOST4.getAddress() : AddressBytes.of(local.getAddress());
  }

  @Override
  public int localPort() {
    InetSocketAddress local = local();
    return local == null ? 0 : local.getPort();
  }

  @Override
  public @Nullable InetAddress transparentClient() {
    boolean own = httpPort().interception() == Interception.TPROXY && !httpPort().proxyHeader();
    return own && isOfClient() ? client().getAddress() : null;
  }

  @Override
  public HopProxyHeader proxyHeader(ProxyHeaderVersion version) {
    InetSocketAddress local = local();
    return !isOfClient() || local == null
        ? HopProxyHeader.own(version)
        : new HopProxyHeader(version, client(), local);
  }

  @Override
  public @Nullable String certificatePem(boolean chain) {
    SessionFacts session = session();
    PeerCertificate certificate = session == null ? null : session.certificate();
    return certificate == null ? null : certificate.pem(chain);
  }

  @Override
  public @Nullable String certificateName(boolean issuer, String attribute) {
    SessionFacts session = session();
    PeerCertificate certificate = session == null ? null : session.certificate();
    return certificate == null ? null : certificate.attribute(issuer, attribute);
  }

  @Override
  public boolean isEncrypted() {
    ExchangeRecord record = noted();
    return session() != null && (record == null || !record.isAnsweredInClear());
  }

  @Override
  public @Nullable String proxyCredentials() {
    Fields fields = head().fields();
    boolean forProxy = httpPort().accel() == null && destination() == null;
    if (!forProxy || !fields.has(FieldName.PROXY_AUTHORIZATION)) {
      return null;
    }
    int at = fields.first(FieldName.PROXY_AUTHORIZATION);
    boolean several = fields.next(FieldName.PROXY_AUTHORIZATION, at + 1) >= 0;
    return several ? null : fields.value(at);
  }

  @Override
  public @Nullable String user() {
    RequestLogin found = foundLogin();
    return found != null && found.asked() && found.state() == LoginState.KNOWN
        ? found.user()
        : null;
  }

  @Override
  public boolean isInAuthorization() {
    return httpPort().accel() != null && destination() == null && user() != null;
  }

  @Override
  public @Nullable String externalUser() {
    return told().user();
  }

  @Override
  public @Nullable String externalTag() {
    return told().tag();
  }

  @Override
  public @Nullable String helperUser() {
    return told().user();
  }

  @Override
  public @Nullable String helperCredentials(boolean toOrigin) {
    HelperFacts told = told();
    int field = toOrigin ? FieldName.AUTHORIZATION : FieldName.PROXY_AUTHORIZATION;
    if (told.user() == null || told.password() == null || head().fields().has(field)) {
      return null;
    }
    byte[] clear = (told.user() + ":" + told.password()).getBytes(StandardCharsets.ISO_8859_1);
    return "Basic " + Base64.getEncoder().encodeToString(clear);
  }

  @Override
  public String hierarchyCode() {
    KnownServer server = knownServer();
    return server == null ? HierarchyCode.HIER_NONE.name() : server.hierarchyCode();
  }

  @Override
  public @Nullable String peerName() {
    KnownServer server = knownServer();
    return server == null ? null : server.peerName();
  }

  @Override
  public @Nullable String serverFingerprint() {
    KnownServer server = knownServer();
    return server == null ? null : server.fingerprint();
  }

  @Override
  public List<String> certificateFaults() {
    KnownServer server = knownServer();
    return server == null ? List.of() : server.certificateFaults();
  }

  @Override
  public int bumpStep() {
    TunnelStep step = tunnelStep();
    return step == null ? 0 : step.number();
  }

  @Override
  public String requestedServerName() {
    TunnelStep step = tunnelStep();
    String name = step == null ? null : step.serverName();
    return name == null ? host() : name;
  }

  @Override
  public @Nullable List<String> certifiedServerNames() {
    TunnelStep step = tunnelStep();
    return step == null ? null : step.certifiedNames();
  }

  private @Nullable TunnelStep tunnelStep() {
    KnownServer server = knownServer();
    return server == null ? null : server.tunnelStep();
  }

  @Override
  public boolean isSentElsewhere() {
    RewrittenRequest rewritten = rewritten();
    return rewritten != null && rewritten.elsewhere();
  }

  @Override
  public @Nullable String errorPage() {
    ExchangeRecord record = noted();
    return record == null ? null : record.errorCode;
  }
}
