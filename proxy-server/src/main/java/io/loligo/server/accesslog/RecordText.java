package io.loligo.server.accesslog;

import io.loligo.core.acl.Notes;
import io.loligo.core.caching.CacheDecision;
import io.loligo.core.caching.CacheReason;
import io.loligo.core.message.Authority;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.message.RequestTarget;
import io.loligo.core.message.RequestTarget.Form;
import io.loligo.core.message.StoreId;
import io.loligo.server.bump.BumpAction;
import io.loligo.server.record.ExchangeId;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.HitClass;
import io.loligo.server.record.RequestId;
import io.loligo.server.record.Stage;
import io.loligo.server.tls.ClientHello;
import io.loligo.server.tls.PeerCertificate;
import io.loligo.server.tls.TlsFault;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Writes the facts of a record as log text; nothing for a missing fact. */
final class RecordText {
  private static final Base64.Encoder PEM =
      Base64.getMimeEncoder(64, new byte[] {'\n'}); // RFC 7468 section 2
  private static final long NANOS_PER_MILLI = 1_000_000;

  private static final String[] CLASSES = lowerCase(HitClass.values());
  private static final String[] OUTCOMES = lowerCase(CacheDecision.Outcome.values());
  private static final String[] REASONS = lowerCase(CacheReason.values());

  private RecordText() {}

  private static String[] lowerCase(Enum<?>[] constants) {
    String[] names = new String[constants.length];
    for (int i = 0; i < names.length; i++) {
      names[i] = constants[i].name().toLowerCase(Locale.ROOT);
    }
    return names;
  }

  static void text(@Nullable String value, LogLine line) {
    if (value != null) {
      line.append(value);
    }
  }

  static void positive(long value, LogLine line) {
    if (value > 0) {
      line.appendNumber(value);
    }
  }

  static void address(@Nullable InetSocketAddress address, LogLine line) {
    if (address != null && address.getAddress() != null) {
      line.append(NetUtil.toAddressString(address.getAddress()));
    }
  }

  static void port(@Nullable InetSocketAddress address, LogLine line) {
    if (address != null) {
      line.appendNumber(address.getPort());
    }
  }

  static void client(ExchangeRecord record, LogLine line) {
    if (record.clientText != null) {
      line.append(line.mask().apply(record.clientText));
    } else if (record.client != null && record.client.getAddress() != null) {
      line.append(line.mask().apply(NetUtil.toAddressString(record.client.getAddress())));
    }
  }

  /** The first message of TLS; null: there was none, or it was not read. */
  private static @Nullable ClientHello hello(ExchangeRecord record) {
    if (record.tunnel != null) {
      return record.tunnel.hello();
    }
    return record.session == null ? null : record.session.hello();
  }

  static void serverName(ExchangeRecord record, LogLine line) {
    ClientHello hello = hello(record);
    text(hello == null ? null : hello.serverName(), line);
  }

  static void helloVersion(ExchangeRecord record, LogLine line) {
    ClientHello hello = hello(record);
    version(hello == null ? 0 : hello.version(), line);
  }

  static void supportedVersion(ExchangeRecord record, LogLine line) {
    ClientHello hello = hello(record);
    version(hello == null ? 0 : hello.newestVersion(), line);
  }

  /** As Squid writes it: 0x0303 is TLS/1.2. */
  private static void version(int bytes, LogLine line) {
    switch (bytes) {
      case 0x0300 -> line.append("SSL/3.0");
      case 0x0301 -> line.append("TLS/1.0");
      case 0x0302 -> line.append("TLS/1.1");
      case 0x0303 -> line.append("TLS/1.2");
      case 0x0304 -> line.append("TLS/1.3");
      default -> {} // unknown
    }
  }

  static void bumpMode(ExchangeRecord record, LogLine line) {
    if (record.tunnel != null) {
      line.append(record.tunnel.action().word());
    } else if (record.session != null && record.session.decrypted()) {
      line.append(BumpAction.BUMP.word());
    }
  }

  static void encryptedHello(ExchangeRecord record, LogLine line) {
    ClientHello hello = hello(record);
    if (hello != null) {
      line.append(hello.encryptedHello() ? "yes" : "no");
    }
  }

  static void tlsVersion(ExchangeRecord record, LogLine line) {
    if (record.session != null) {
      line.append(record.session.version().replace("TLSv", "TLS/"));
    }
  }

  static void cipher(ExchangeRecord record, LogLine line) {
    text(record.session == null ? null : record.session.cipher(), line);
  }

  static void certificateSubject(ExchangeRecord record, LogLine line) {
    PeerCertificate own = certificate(record);
    text(own == null ? null : own.subject(), line);
  }

  static void certificateIssuer(ExchangeRecord record, LogLine line) {
    PeerCertificate own = certificate(record);
    text(own == null ? null : own.issuer(), line);
  }

  /** The common name, as in Squid. */
  static void certificateUser(ExchangeRecord record, LogLine line) {
    PeerCertificate own = certificate(record);
    text(own == null ? null : own.attribute(false, "CN"), line);
  }

  private static @Nullable PeerCertificate certificate(ExchangeRecord record) {
    return record.session == null ? null : record.session.certificate();
  }

  static void secondsAndMillis(long millis, LogLine line) {
    if (millis > 0) {
      line.appendNumber(millis / 1000);
      line.append('.');
      line.appendNumber(millis % 1000, 3);
    }
  }

  static long elapsedMillis(ExchangeRecord record) {
    long total = record.stage(Stage.TOTAL);
    if (total >= 0) {
      return total / NANOS_PER_MILLI;
    }
    return record.startMillis > 0 ? Math.max(0, record.endMillis - record.startMillis) : 0;
  }

  static void stage(ExchangeRecord record, Stage stage, LogLine line) {
    long nanos = record.stage(stage);
    if (nanos >= 0) {
      line.appendNumber(nanos / NANOS_PER_MILLI);
    }
  }

  /** From the first connect to the last byte of the response. */
  static void serverMillis(ExchangeRecord record, LogLine line) {
    long connect = record.stage(Stage.PROXY_CONNECT);
    long answer = record.stage(Stage.SERVER_LAST_BYTE);
    if (connect >= 0 || answer >= 0) {
      line.appendNumber((Math.max(0, connect) + Math.max(0, answer)) / NANOS_PER_MILLI);
    }
  }

  static void sentUrl(ExchangeRecord record, boolean stripQuery, LogLine line) {
    if (record.rewritten == null) {
      url(record, stripQuery, line);
    } else {
      url(record.rewritten.target(), stripQuery, line);
    }
  }

  static void url(ExchangeRecord record, boolean stripQuery, LogLine line) {
    if (record.url != null) {
      int query = stripQuery ? record.url.indexOf('?') : -1;
      line.append(query < 0 ? record.url : record.url.substring(0, query + 1));
      return;
    }
    RequestTarget target = record.target;
    if (target == null) {
      line.append(
          record.request == null
              ? "error:transaction-end-before-headers"
              : "error:invalid-request");
      return;
    }
    url(target, stripQuery, line);
  }

  private static void url(RequestTarget target, boolean stripQuery, LogLine line) {
    if (target.form() == Form.AUTHORITY) {
      host(target, line);
      line.append(':');
      line.appendNumber(target.port());
      return;
    }
    line.append(target.scheme());
    line.append("://");
    host(target, line);
    if (target.port() != Authority.defaultPort(target.scheme())) {
      line.append(':');
      line.appendNumber(target.port());
    }
    if (!isAsterisk(target)) {
      path(target, stripQuery, line);
    }
  }

  /** OPTIONS of a whole server, whose effective URI has no path (RFC 9112 section 3.3). */
  private static boolean isAsterisk(RequestTarget target) {
    return target.pathEnd() - target.pathStart() == 1
        && target.pathBytes()[target.pathStart()] == '*';
  }

  static void path(ExchangeRecord record, LogLine line) {
    if (record.target != null && record.target.form() != Form.AUTHORITY) {
      path(record.target, line.stripQuery(), line);
    }
  }

  private static void path(RequestTarget target, boolean stripQuery, LogLine line) {
    byte[] bytes = target.pathBytes();
    int start = target.pathStart();
    int end = target.pathEnd();
    if (stripQuery) {
      for (int i = start; i < end; i++) {
        if (bytes[i] == '?') {
          end = i + 1;
        }
      }
    }
    line.append(bytes, start, end);
  }

  private static void host(RequestTarget target, LogLine line) {
    String host = target.host();
    boolean literal = host.indexOf(':') >= 0;
    if (literal) {
      line.append('[');
    }
    line.append(host);
    if (literal) {
      line.append(']');
    }
  }

  private static @Nullable RequestTarget sent(ExchangeRecord record) {
    return record.rewritten == null ? record.target : record.rewritten.target();
  }

  static void sentPath(ExchangeRecord record, LogLine line) {
    RequestTarget target = sent(record);
    if (target != null && target.form() != Form.AUTHORITY) {
      path(target, line.stripQuery(), line);
    }
  }

  static void sentScheme(ExchangeRecord record, LogLine line) {
    RequestTarget target = sent(record);
    text(target == null ? null : target.scheme(), line);
  }

  static void sentDomain(ExchangeRecord record, LogLine line) {
    RequestTarget target = sent(record);
    if (target != null) {
      host(target, line);
    }
  }

  static void sentUrlPort(ExchangeRecord record, LogLine line) {
    RequestTarget target = sent(record);
    if (target != null) {
      line.appendNumber(target.port());
    }
  }

  /** The name of the login, else that of a helper, else that of the client's certificate. */
  static void anyUser(ExchangeRecord record, LogLine line) {
    int start = line.length();
    text(record.user, line);
    if (line.length() == start) {
      externalUser(record, line);
    }
    if (line.length() == start) {
      certificateUser(record, line);
    }
  }

  static void storeId(ExchangeRecord record, boolean stripQuery, LogLine line) {
    RequestTarget target = sent(record);
    StoreId id = target == null ? null : target.storeId();
    if (id != null) {
      int query = stripQuery ? id.text().indexOf('?') : -1;
      line.append(query < 0 ? id.text() : id.text().substring(0, query + 1));
    }
  }

  static void externalUser(ExchangeRecord record, LogLine line) {
    text(record.helpers == null ? null : record.helpers.user(), line);
  }

  static void tag(ExchangeRecord record, LogLine line) {
    text(record.helpers == null ? null : record.helpers.tag(), line);
  }

  static void externalLog(ExchangeRecord record, LogLine line) {
    text(record.helpers == null ? null : record.helpers.log(), line);
  }

  /**
   * The values of the notes with {@code key}, with {@code separator} between them; without a key,
   * all notes, each on a line.
   */
  static void note(ExchangeRecord record, @Nullable String key, String separator, LogLine line) {
    Notes notes = record.notes;
    if (notes == null) {
      return;
    }
    if (key != null) {
      noteValues(notes, key, separator, line);
      return;
    }
    for (Notes.Note note : notes.all()) {
      line.append(note.name() + ": " + note.value() + "\r\n");
    }
  }

  private static void noteValues(Notes notes, String key, String separator, LogLine line) {
    boolean first = true;
    for (Notes.Note note : notes.all()) {
      if (note.name().equals(key)) {
        line.append(first ? "" : separator);
        line.append(note.value());
        first = false;
      }
    }
  }

  static void scheme(ExchangeRecord record, LogLine line) {
    if (record.target != null) {
      line.append(record.target.scheme());
    }
  }

  static void domain(ExchangeRecord record, LogLine line) {
    if (record.target != null) {
      host(record.target, line);
    }
  }

  static void urlPort(ExchangeRecord record, LogLine line) {
    if (record.target != null) {
      line.appendNumber(record.target.port());
    }
  }

  static void requestId(ExchangeRecord record, LogLine line) {
    id(record.idPrefix, record.number, record.givenId, line);
  }

  /** The exchange whose fetch answered this one. */
  static void fetchRequestId(ExchangeRecord record, LogLine line) {
    ExchangeId by = record.fetchedBy;
    if (by != null) {
      id(by.prefix(), by.number(), by.given(), line);
    }
  }

  private static void id(long prefix, long number, @Nullable String given, LogLine line) {
    if (given != null) {
      line.append(given);
    } else if (number != 0) {
      line.appendHex(prefix, RequestId.PREFIX_DIGITS);
      line.append('-');
      line.appendHex(number, 1);
    }
  }

  /** The line of rules that decided, with its file and line. */
  static void rule(ExchangeRecord record, LogLine line) {
    if (record.rule != null) {
      line.append(record.rule.rule());
      if (!record.rule.source().isEmpty()) {
        line.append(" (");
        line.append(record.rule.source());
        line.append(')');
      }
    }
  }

  /** The class of this name; null: there is none. */
  static @Nullable HitClass classNamed(String name) {
    int at = classNames().indexOf(name);
    return at < 0 ? null : HitClass.values()[at];
  }

  /** The names of all classes. */
  static List<String> classNames() {
    return List.of(CLASSES);
  }

  static void exchangeClass(ExchangeRecord record, LogLine line) {
    line.append(CLASSES[record.hitClass.ordinal()]);
  }

  static void outcome(ExchangeRecord record, LogLine line) {
    if (record.decision != null) {
      line.append(OUTCOMES[record.decision.outcome().ordinal()]);
    }
  }

  static void reason(ExchangeRecord record, LogLine line) {
    if (record.decision != null) {
      line.append(REASONS[record.decision.reason().ordinal()]);
    }
  }

  static void version(ExchangeRecord record, LogLine line) {
    int version = record.request == null ? 0 : record.request.version();
    line.appendNumber(version / 10);
    line.append('.');
    line.appendNumber(version % 10);
  }

  /** The version of the request that was sent; nothing if none was. */
  static void serverVersion(ExchangeRecord record, LogLine line) {
    if (record.nextHop != null) {
      boolean http2 = record.serverTls != null && record.serverTls.isHttp2();
      line.append(http2 ? "2.0" : "1.1");
    }
  }

  static void requestHeadBytes(ExchangeRecord record, LogLine line) {
    line.appendNumber(record.request == null ? 0 : record.request.end());
  }

  /** Bytes of content that the client got. */
  static long contentBytesOut(ExchangeRecord record) {
    return Math.max(0, record.clientBytesOut - record.clientHeadBytesOut);
  }

  /** Bytes of the whole content, as far as the exchange has seen all of it. */
  static void objectBytes(ExchangeRecord record, LogLine line) {
    boolean part = record.status == 206 || record.status == 304 || record.method.equals("HEAD");
    if (record.serverContentBytesIn >= 0) {
      line.appendNumber(record.serverContentBytesIn);
    } else if (!part) {
      line.appendNumber(contentBytesOut(record));
    }
  }

  static void serverContentBytes(ExchangeRecord record, LogLine line) {
    if (record.serverContentBytesIn >= 0) {
      line.appendNumber(record.serverContentBytesIn);
    }
  }

  /** The media type without its parameters, as in Squid. */
  static void mediaType(ExchangeRecord record, LogLine line) {
    int start = line.length();
    if (record.contentType != null) {
      line.append(record.contentType);
    } else if (record.reply != null) {
      Fields fields = record.reply.fields();
      int field = fields.first(FieldName.CONTENT_TYPE);
      if (field >= 0) {
        line.append(fields.bytes(), fields.valueStart(field), fields.valueEnd(field));
      }
    }
    for (int i = start; i < line.length(); i++) {
      byte value = line.bytes()[i];
      if (value == ';' || value == ' ' || value == '\t') {
        line.truncate(i);
      }
    }
  }

  /** As in Squid: {@code TLS/1.3}. */
  static void serverTlsVersion(ExchangeRecord record, LogLine line) {
    if (record.serverTls != null) {
      line.append(record.serverTls.version().replace("TLSv", "TLS/"));
    }
  }

  static void serverCipher(ExchangeRecord record, LogLine line) {
    if (record.serverTls != null) {
      line.append(record.serverTls.cipher());
    }
  }

  static void serverSubject(ExchangeRecord record, LogLine line) {
    X509Certificate certificate = serverCertificate(record);
    if (certificate != null) {
      line.append(new PeerCertificate(certificate).subject());
    }
  }

  static void serverIssuer(ExchangeRecord record, LogLine line) {
    X509Certificate certificate = serverCertificate(record);
    if (certificate != null) {
      line.append(new PeerCertificate(certificate).issuer());
    }
  }

  private static @Nullable X509Certificate serverCertificate(ExchangeRecord record) {
    return record.serverTls == null ? null : record.serverTls.certificate();
  }

  /** The version in a server's hello: TLS 1.3 says 1.2 (RFC 8446 section 4.1.3). */
  static void serverHelloVersion(ExchangeRecord record, LogLine line) {
    if (record.serverTls != null) {
      String version = record.serverTls.version();
      line.append(version.equals("TLSv1.3") ? "TLS/1.2" : version.replace("TLSv", "TLS/"));
    }
  }

  /** In PEM (RFC 7468). */
  static void serverCertificateText(ExchangeRecord record, LogLine line) {
    X509Certificate certificate = serverCertificate(record);
    if (certificate == null) {
      return;
    }
    try {
      line.append("-----BEGIN CERTIFICATE-----\n");
      line.append(PEM.encodeToString(certificate.getEncoded()));
      line.append("\n-----END CERTIFICATE-----\n");
    } catch (CertificateEncodingException e) {
      throw new IllegalStateException("a certificate that was received", e);
    }
  }

  static void hex(int value, LogLine line) {
    line.append("0x");
    line.append(Integer.toHexString(value));
  }

  static void serverTrafficClass(ExchangeRecord record, LogLine line) {
    if (record.nextHopLocal != null) {
      hex(record.nextHopTrafficClass, line);
    }
  }

  static void serverMark(ExchangeRecord record, LogLine line) {
    if (record.nextHopLocal != null) {
      hex(record.nextHopMark, line);
    }
  }

  /** The tolerated faults, in the order in which they were found. */
  static void serverCertificateErrors(ExchangeRecord record, String separator, LogLine line) {
    if (record.serverTls != null) {
      List<TlsFault> faults = record.serverTls.tolerated();
      for (int i = 0; i < faults.size(); i++) {
        line.append(i == 0 ? "" : separator);
        line.append(faults.get(i).squidName());
      }
    }
  }
}
