package io.loligo.server.accesslog;

import io.loligo.core.acl.AclInput;
import io.loligo.core.acl.ExternalAcl;
import io.loligo.core.acl.LoginState;
import io.loligo.core.acl.Notes;
import io.loligo.core.caching.StoredFields;
import io.loligo.core.message.Fields;
import io.loligo.core.message.IpText;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.HierarchyCode;
import io.loligo.server.tls.Fingerprint;
import io.loligo.server.tls.PeerCertificate;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A finished exchange as input of the rules of {@code access_log}: the request as other rules saw
 * it, the response as the client got it, including the proxy's own pages. Without a valid request
 * there is no method, host or fields. Reused for every record of an event loop and confined to it.
 */
final class LoggedInput implements AclInput {
  private static final Fields NONE = new Fields(1);

  @SuppressWarnings("NullAway.Init") // set by of, which gives this input to its readers
  private ExchangeRecord record;

  private @Nullable AclInput request;

  LoggedInput of(ExchangeRecord finished) {
    record = finished;
    request = finished.acl;
    return this;
  }

  @Override
  public byte[] clientAddress() {
    return request == null ? addressBytes(record.client) : request.clientAddress();
  }

  @Override
  public byte[] localAddress() {
    return request == null ? addressBytes(record.local) : request.localAddress();
  }

  /** An unknown one is 0.0.0.0. */
  private static byte[] addressBytes(@Nullable InetSocketAddress address) {
    return address == null ? new byte[4] : address.getAddress().getAddress();
  }

  @Override
  public int localPort() {
    if (request != null) {
      return request.localPort();
    }
    return record.local == null ? 0 : record.local.getPort();
  }

  @Override
  public String portName() {
    String name = request == null ? record.portName : request.portName();
    return name == null ? "" : name;
  }

  @Override
  public String method() {
    return request == null ? "" : request.method();
  }

  @Override
  public String scheme() {
    return request == null ? "" : request.scheme();
  }

  @Override
  public String host() {
    return request == null ? "" : request.host();
  }

  @Override
  public int port() {
    return request == null ? 0 : request.port();
  }

  @Override
  public String url() {
    return request == null ? "" : request.url();
  }

  @Override
  public String urlPath() {
    return request == null ? "" : request.urlPath();
  }

  @Override
  public Fields requestFields() {
    return request == null ? NONE : request.requestFields();
  }

  @Override
  public @Nullable Fields replyFields() {
    boolean ownPage = record.errorCode != null && record.contentType != null;
    Fields sent = record.reply != null ? record.reply.fields() : null;
    if (sent == null && request != null) {
      sent = request.replyFields();
    }
    return ownPage || (sent == null && record.contentType != null) ? page() : sent;
  }

  /** The fields that rules can test of one of the proxy's own pages. */
  private Fields page() {
    String block = "Content-Type: " + record.contentType + "\r\n\r\n";
    return StoredFields.index(block.getBytes(StandardCharsets.ISO_8859_1));
  }

  @Override
  public int replyStatus() {
    return record.status;
  }

  @Override
  public String destinationName() {
    String name = request == null ? null : request.destinationName();
    return name == null ? NO_NAME : name;
  }

  /**
   * The addresses that other rules resolved, that are known by now, or to which the request went;
   * null, which decides nothing, for a response for which the name was not resolved.
   */
  @Override
  public @Nullable List<byte[]> destinationAddresses() {
    List<byte[]> asked = request == null ? null : request.destinationAddresses();
    if (asked != null) {
      return asked;
    }
    List<byte[]> known = record.known == null ? null : record.known.get();
    byte[] dialled = known == null ? dialled() : null;
    return dialled == null ? known : List.of(dialled);
  }

  /** The address that a direct request went to, or null. */
  private byte @Nullable [] dialled() {
    String hop = record.nextHop;
    boolean direct =
        record.hierarchy == HierarchyCode.HIER_DIRECT
            || record.hierarchy == HierarchyCode.ORIGINAL_DST;
    return direct && hop != null ? IpText.parse(hop) : null;
  }

  /** A client who has not logged in has no user any more. */
  @Override
  public LoginState login() {
    boolean known = request != null && request.login() == LoginState.KNOWN;
    return known ? LoginState.KNOWN : LoginState.NO_LOGIN;
  }

  @Override
  public @Nullable String user() {
    return request == null ? null : request.user();
  }

  @Override
  public boolean hasMoreAddresses(int most, boolean strict) {
    return request != null && request.hasMoreAddresses(most, strict);
  }

  @Override
  public int clientConnections() {
    return request == null ? 1 : request.clientConnections();
  }

  @Override
  public @Nullable String certificateName(boolean issuer, String attribute) {
    PeerCertificate certificate = record.session == null ? null : record.session.certificate();
    return certificate == null ? null : certificate.attribute(issuer, attribute);
  }

  @Override
  public @Nullable Notes clientNotes() {
    return request == null ? null : request.clientNotes();
  }

  @Override
  public void clientNotes(Notes replaced) {
    if (request != null) {
      request.clientNotes(replaced);
    }
  }

  /** A name that no other rule has asked for is not looked up any more. */
  @Override
  public String clientName() {
    String name = request == null ? null : request.clientName();
    return name == null ? NO_NAME : name;
  }

  @Override
  public String clientHardware() {
    String address = request == null ? null : request.clientHardware();
    return address == null ? "" : address;
  }

  @Override
  public long connectionMark() {
    return request == null ? 0 : Math.max(0, request.connectionMark());
  }

  @Override
  public String hierarchyCode() {
    return record.hierarchy.name();
  }

  @Override
  public @Nullable String externalUser() {
    return record.helpers == null ? null : record.helpers.user();
  }

  @Override
  public @Nullable String externalTag() {
    return record.helpers == null ? null : record.helpers.tag();
  }

  @Override
  public @Nullable String peerName() {
    return record.peerName;
  }

  @Override
  public boolean isAdaptedBy(String name) {
    return request != null && request.isAdaptedBy(name);
  }

  @Override
  public @Nullable String errorPage() {
    return record.errorCode;
  }

  @Override
  public @Nullable String serverFingerprint() {
    X509Certificate certificate = record.serverTls == null ? null : record.serverTls.certificate();
    return certificate == null ? null : Fingerprint.sha1(certificate);
  }

  @Override
  public @Nullable String urlLogin() {
    return request == null ? null : request.urlLogin();
  }

  @Override
  public int bumpStep() {
    return request == null ? 0 : request.bumpStep();
  }

  @Override
  public boolean isOfClient() {
    return request == null || request.isOfClient();
  }

  @Override
  public boolean isEncrypted() {
    return record.session != null && !record.isAnsweredInClear();
  }

  @Override
  public String requestedServerName() {
    return request == null ? host() : request.requestedServerName();
  }

  @Override
  public @Nullable List<String> certifiedServerNames() {
    return request == null ? null : request.certifiedServerNames();
  }

  @Override
  public ExternalAcl.Answer external(ExternalAcl acl) {
    return request == null ? ExternalAcl.Answer.UNDECIDED : request.external(acl);
  }

  @Override
  public Notes notes() {
    return record.notes == null ? Notes.NONE : record.notes;
  }

  @Override
  public void notes(Notes replaced) {
    record.notes = replaced;
  }

  @Override
  public long nowMillis() {
    return request == null ? record.endMillis : request.nowMillis();
  }
}
