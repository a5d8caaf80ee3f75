package io.loligo.server.accesslog;

import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.IcapTransaction;
import io.loligo.server.record.Stage;
import org.jspecify.annotations.Nullable;

/**
 * The codes of logformat, each declared once: its spelling, the treatment of its value, and the
 * source of the value. Codes for which this proxy has no source print {@code -}. Immutable.
 */
enum LogCode {
  END_SECONDS("ts", Kind.NUMBER, (r, line) -> line.appendNumber(r.endMillis / 1000)),
  END_SUBSECOND("tu", Kind.SUBSECOND, (r, line) -> line.appendNumber(r.endMillis % 1000)),
  LOCAL_TIME("tl", Kind.LOCAL_TIME, (r, line) -> line.appendNumber(r.endMillis / 1000)),
  GMT_TIME("tg", Kind.GMT_TIME, (r, line) -> line.appendNumber(r.endMillis / 1000)),
  START("tS", Kind.TEXT, (r, line) -> RecordText.secondsAndMillis(r.startMillis, line)),
  ELAPSED("tr", Kind.MILLIS, (r, line) -> line.appendNumber(RecordText.elapsedMillis(r))),
  DNS_TIME("dt", Kind.MILLIS, (r, line) -> RecordText.stage(r, Stage.DNS, line)),
  PEER_TIME("<pt", Kind.MILLIS, (r, line) -> RecordText.stage(r, Stage.SERVER_LAST_BYTE, line)),
  SERVER_TIME("<tt", Kind.MILLIS, RecordText::serverMillis),
  BUSY_TIME("busy_time"),

  CLIENT(">a", Kind.TEXT, RecordText::client),
  CLIENT_NAME(">A", Kind.TEXT, RecordText::client),
  CLIENT_PORT(">p", Kind.NUMBER, (r, line) -> RecordText.port(r.client, line)),
  CLIENT_EUI(">eui"),
  CLIENT_LOCAL(">la", Kind.TEXT, (r, line) -> RecordText.address(r.local, line)),
  CLIENT_LOCAL_PORT(">lp", Kind.NUMBER, (r, line) -> RecordText.port(r.local, line)),
  LOCAL("la", Kind.TEXT, (r, line) -> RecordText.address(r.local, line)),
  LOCAL_PORT("lp", Kind.NUMBER, (r, line) -> RecordText.port(r.local, line)),
  HOP("<a", Kind.TEXT, (r, line) -> RecordText.text(r.nextHop, line)),
  HOP_NAME("<A", Kind.TEXT, (r, line) -> RecordText.text(r.nextHop, line)),
  HOP_PORT("<p", Kind.NUMBER, (r, line) -> RecordText.positive(r.nextHopPort, line)),
  HOP_LOCAL("<la", Kind.TEXT, (r, line) -> RecordText.address(r.nextHopLocal, line)),
  HOP_LOCAL_PORT("<lp", Kind.NUMBER, (r, line) -> RecordText.port(r.nextHopLocal, line)),
  HOP_LOCAL_OLD("oa", Kind.TEXT, (r, line) -> RecordText.address(r.nextHopLocal, line)),

  METHOD("rm", Kind.TEXT, (r, line) -> RecordText.text(r.method, line)),
  CLIENT_METHOD(">rm", Kind.TEXT, (r, line) -> RecordText.text(r.method, line)),
  SERVER_METHOD("<rm", Kind.TEXT, (r, line) -> RecordText.text(r.method, line)),
  URL("ru", Kind.TEXT, (r, line) -> RecordText.url(r, line.stripQuery(), line)),
  /**
   * Documented as not affected by strip_query_terms: a format with this code requests the query.
   */
  CLIENT_URL(">ru", Kind.UNTRUSTED, (r, line) -> RecordText.url(r, false, line)),
  SERVER_URL("<ru", Kind.UNTRUSTED, (r, line) -> RecordText.sentUrl(r, line.stripQuery(), line)),
  SCHEME(">rs", Kind.UNTRUSTED, RecordText::scheme),
  SERVER_SCHEME("<rs", Kind.UNTRUSTED, RecordText::sentScheme),
  DOMAIN(">rd", Kind.UNTRUSTED, RecordText::domain),
  SERVER_DOMAIN("<rd", Kind.UNTRUSTED, RecordText::sentDomain),
  URL_PORT(">rP", Kind.NUMBER, RecordText::urlPort),
  SERVER_URL_PORT("<rP", Kind.NUMBER, RecordText::sentUrlPort),
  PATH("rp", Kind.UNTRUSTED, RecordText::path),
  CLIENT_PATH(">rp", Kind.UNTRUSTED, RecordText::path),
  SERVER_PATH("<rp", Kind.UNTRUSTED, RecordText::sentPath),
  VERSION("rv", Kind.TEXT, RecordText::version),
  CLIENT_VERSION(">rv", Kind.TEXT, RecordText::version),
  SERVER_VERSION("<rv", Kind.TEXT, RecordText::serverVersion),

  REQUEST_FIELD(">h", Kind.REQUEST_FIELD, (r, line) -> {}),
  REQUEST_FIELD_OLD("h", Kind.REQUEST_FIELD, (r, line) -> {}),
  ADAPTED_REQUEST_FIELD(">ha", Kind.REQUEST_FIELD, (r, line) -> {}),
  REPLY_FIELD("<h", Kind.REPLY_FIELD, (r, line) -> {}),

  STATUS(">Hs", Kind.NUMBER, (r, line) -> line.appendNumber(r.status)),
  STATUS_OLD("Hs", Kind.NUMBER, (r, line) -> line.appendNumber(r.status)),
  SERVER_STATUS("<Hs", Kind.NUMBER, (r, line) -> RecordText.positive(r.serverStatus, line)),
  RESULT("Ss", Kind.TEXT, ResultCode::write),
  HIERARCHY("Sh", Kind.TEXT, (r, line) -> line.append(r.hierarchyText())),
  MEDIA_TYPE("mt", Kind.TEXT, RecordText::mediaType),
  /** Not in Squid: the time of a stage in microseconds, or of each stage with its name. */
  STAGE("stage", Kind.STAGE, (r, line) -> {}),
  STAGES("stages", Kind.TEXT, StageText::all),
  ATTEMPTS("request_attempts", Kind.NUMBER, (r, line) -> line.appendNumber(r.attempts)),
  ERROR_CODE("err_code", Kind.TEXT, (r, line) -> RecordText.text(r.errorCode, line)),
  ERROR_DETAIL("err_detail", Kind.UNTRUSTED, (r, line) -> RecordText.text(r.errorDetail, line)),

  BYTES_OUT("<st", Kind.NUMBER, (r, line) -> line.appendNumber(r.clientBytesOut)),
  BYTES_IN(">st", Kind.NUMBER, (r, line) -> line.appendNumber(r.clientBytesIn)),
  BYTES("st", Kind.NUMBER, (r, line) -> line.appendNumber(r.clientBytesIn + r.clientBytesOut)),
  REQUEST_HEAD_BYTES(">sh", Kind.NUMBER, RecordText::requestHeadBytes),
  REPLY_HEAD_BYTES("<sh", Kind.NUMBER, (r, line) -> line.appendNumber(r.clientHeadBytesOut)),
  SERVER_CONTENT_BYTES("<bs", Kind.NUMBER, RecordText::serverContentBytes),
  REPLY_OFFSET("<sH", Kind.NUMBER, (r, line) -> line.appendNumber(RecordText.contentBytesOut(r))),
  STORED_BYTES("<sS", Kind.NUMBER, RecordText::objectBytes),

  /** The user, also one whose password is wrong; else another name of the client, as in Squid. */
  USER("un", Kind.UNTRUSTED, RecordText::anyUser),
  LOGIN("ul", Kind.UNTRUSTED, (r, line) -> RecordText.text(r.user, line)),
  IDENT("ui"),
  EXTERNAL_USER("ue", Kind.UNTRUSTED, RecordText::externalUser),
  TLS_USER("us", Kind.UNTRUSTED, RecordText::certificateUser),
  CREDENTIALS("credentials", Kind.ARGUMENT),
  EXTERNAL_TAG("et", Kind.UNTRUSTED, RecordText::tag),
  EXTERNAL_LOG("ea", Kind.UNTRUSTED, RecordText::externalLog),
  NOTE("note", Kind.NOTE, (r, line) -> {}),
  SEQUENCE("sn", Kind.SEQUENCE, (r, line) -> {}),
  MASTER_TRANSACTION(
      "master_xaction", Kind.NUMBER, (r, line) -> RecordText.positive(r.number, line)),
  /** Not in Squid, as the five after it: the id of the exchange. */
  REQUEST_ID("request_id", Kind.UNTRUSTED, RecordText::requestId),
  FETCH_REQUEST_ID("fetch_request_id", Kind.UNTRUSTED, RecordText::fetchRequestId),
  ACCESS_RULE("access_rule", Kind.UNTRUSTED, RecordText::rule),
  EXCHANGE_CLASS("exchange_class", Kind.TEXT, RecordText::exchangeClass),
  CACHE_OUTCOME("cache_outcome", Kind.TEXT, RecordText::outcome),
  CACHE_REASON("cache_reason", Kind.TEXT, RecordText::reason),
  CONNECTION_ID("transport::>connection_id"),
  BYTE("byte", Kind.BYTE, (r, line) -> {}),

  /** No directive in use sets the class of packets to clients. */
  QOS_CLIENT(">qos", Kind.TEXT, (r, line) -> RecordText.hex(r.clientTrafficClass, line)),
  QOS_SERVER("<qos", Kind.TEXT, RecordText::serverTrafficClass),
  MARK_CLIENT(">nfmark", Kind.TEXT, (r, line) -> RecordText.hex(r.clientMark, line)),
  MARK_SERVER("<nfmark", Kind.TEXT, RecordText::serverMark),
  HANDSHAKE(">handshake"),
  PROXY_PROTOCOL("proxy_protocol::>h", Kind.PROXY_FIELD, (r, line) -> {}),
  TLS_SNI("ssl::>sni", Kind.UNTRUSTED, RecordText::serverName),
  TLS_MODE("ssl::bump_mode", Kind.TEXT, RecordText::bumpMode),
  /** Not in Squid: whether the first message has the extension Encrypted ClientHello. */
  TLS_ENCRYPTED_HELLO("ssl::>ech", Kind.TEXT, RecordText::encryptedHello),
  TLS_CLIENT_VERSION("ssl::>negotiated_version", Kind.TEXT, RecordText::tlsVersion),
  TLS_SERVER_VERSION("ssl::<negotiated_version", Kind.TEXT, RecordText::serverTlsVersion),
  TLS_CLIENT_CIPHER("ssl::>negotiated_cipher", Kind.TEXT, RecordText::cipher),
  TLS_SERVER_CIPHER("ssl::<negotiated_cipher", Kind.TEXT, RecordText::serverCipher),
  TLS_RECEIVED_HELLO("ssl::>received_hello_version", Kind.TEXT, RecordText::helloVersion),
  TLS_SERVER_HELLO("ssl::<received_hello_version", Kind.TEXT, RecordText::serverHelloVersion),
  TLS_SUPPORTED("ssl::>received_supported_version", Kind.TEXT, RecordText::supportedVersion),
  TLS_SERVER_SUPPORTED("ssl::<received_supported_version", Kind.TEXT, RecordText::serverTlsVersion),
  TLS_CLIENT_SUBJECT("ssl::>cert_subject", Kind.UNTRUSTED, RecordText::certificateSubject),
  TLS_CLIENT_ISSUER("ssl::>cert_issuer", Kind.UNTRUSTED, RecordText::certificateIssuer),
  TLS_SERVER_SUBJECT("ssl::<cert_subject", Kind.UNTRUSTED, RecordText::serverSubject),
  TLS_SERVER_ISSUER("ssl::<cert_issuer", Kind.UNTRUSTED, RecordText::serverIssuer),
  TLS_SERVER_ERRORS("ssl::<cert_errors", Kind.FAULTS, (r, line) -> {}),
  TLS_SERVER_CERTIFICATE("ssl::<cert", Kind.UNTRUSTED, RecordText::serverCertificateText),
  ADAPTATION_TIMES("adapt::all_trs", Kind.ADAPTATION_TIMES, (r, line) -> {}),
  ADAPTATION_SUMS("adapt::sum_trs", Kind.ADAPTATION_SUMS, (r, line) -> {}),
  ADAPTATION_FIELD("adapt::<last_h", Kind.ADAPTATION_FIELD, (r, line) -> {}),
  ADAPTED_REPLY_FIELD("<ha", Kind.ARGUMENT),
  REQUEST_GROUP("rG"),
  ICAP_LAST_FIELD("icap::<last_h", Kind.ADAPTATION_FIELD, (r, line) -> {}),
  ICAP_SERVER("icap::<A", Kind.TEXT, IcapText.text(IcapTransaction::host)),
  ICAP_SERVICE("icap::<service_name", Kind.TEXT, IcapText.text(IcapTransaction::service)),
  ICAP_URL("icap::ru", Kind.TEXT, IcapText.text(IcapTransaction::uri)),
  ICAP_METHOD("icap::rm", Kind.TEXT, IcapText.text(IcapTransaction::method)),
  ICAP_BYTES_OUT("icap::>st", Kind.NUMBER, IcapText.number(IcapTransaction::sentBytes)),
  ICAP_BYTES_IN("icap::<st", Kind.NUMBER, IcapText.number(IcapTransaction::receivedBytes)),
  ICAP_CONTENT_BYTES("icap::<bs", Kind.NUMBER, IcapText.number(IcapTransaction::contentBytes)),
  ICAP_REQUEST_FIELD("icap::>h", Kind.ICAP_REQUEST_FIELD, (r, line) -> {}),
  ICAP_REPLY_FIELD("icap::<h", Kind.ICAP_REPLY_FIELD, (r, line) -> {}),
  ICAP_STATUS("icap::Hs", Kind.NUMBER, IcapText.number(IcapTransaction::status)),
  ICAP_RESPONSE_TIME("icap::tr", Kind.MILLIS, IcapText.millis(IcapTransaction::totalNanos)),
  ICAP_IO_TIME("icap::tio", Kind.MILLIS, IcapText.millis(IcapTransaction::ioNanos)),
  ICAP_OUTCOME("icap::to", Kind.TEXT, IcapText.text(one -> one.outcome().name())),
  ICAP_TIME("icap::tt", Kind.MILLIS, IcapText::waited);

  /** The treatment of a value. */
  enum Kind {
    TEXT,
    /** Determined by a peer: made safe even if the format requests no quoting. */
    UNTRUSTED,
    NUMBER,
    MILLIS,
    SUBSECOND,
    LOCAL_TIME,
    GMT_TIME,
    REQUEST_FIELD,
    REPLY_FIELD,
    PROXY_FIELD,
    NOTE,
    /** A stage in the argument. */
    STAGE,
    ICAP_REQUEST_FIELD,
    ICAP_REPLY_FIELD,
    /** Of the last ICAP response. */
    ADAPTATION_FIELD,
    /** Of all transactions, or of those with the service in the argument. */
    ADAPTATION_TIMES,
    ADAPTATION_SUMS,
    /** Faults of the server's certificate. */
    FAULTS,
    SEQUENCE,
    BYTE,
    /** Prints {@code -}, takes an argument. */
    ARGUMENT;

    boolean takesArgument() {
      return switch (this) {
        case LOCAL_TIME,
            GMT_TIME,
            REQUEST_FIELD,
            REPLY_FIELD,
            PROXY_FIELD,
            NOTE,
            STAGE,
            ICAP_REQUEST_FIELD,
            ICAP_REPLY_FIELD,
            ADAPTATION_FIELD,
            ADAPTATION_TIMES,
            ADAPTATION_SUMS,
            FAULTS,
            BYTE,
            ARGUMENT ->
            true;
        default -> false;
      };
    }

    /** Whether its text is the format's own, never a peer's. */
    boolean ours() {
      return this == LOCAL_TIME || this == GMT_TIME || this == BYTE;
    }

    boolean numeric() {
      return this == NUMBER
          || this == STAGE
          || this == MILLIS
          || this == SUBSECOND
          || this == SEQUENCE;
    }
  }

  /** The source of a value. */
  interface Source {
    /** Appends the value, or nothing if there is none. */
    void write(ExchangeRecord record, LogLine line);
  }

  private final String spelling;
  private final Kind kind;

  @SuppressWarnings("ImmutableEnumChecker") // lambdas that capture nothing
  private final @Nullable Source source;

  LogCode(String spelling, Kind kind, @Nullable Source source) {
    this.spelling = spelling;
    this.kind = kind;
    this.source = source;
  }

  LogCode(String spelling, Kind kind) {
    this(spelling, kind, null);
  }

  LogCode(String spelling) {
    this(spelling, Kind.TEXT);
  }

  String spelling() {
    return spelling;
  }

  /** Whether this version writes nothing for it. */
  boolean writesNothing() {
    return source == null;
  }

  Kind kind() {
    return kind;
  }

  Source source() {
    return source == null ? (record, line) -> {} : source;
  }

  /** Prefix that may precede the codes of HTTP. */
  static final String NAMESPACE = "http::";

  /** The longest code in {@code format} at {@code at}, or null. */
  static @Nullable LogCode at(String format, int at) {
    LogCode longest = null;
    for (LogCode code : values()) {
      if (format.startsWith(code.spelling, at)
          && (longest == null || code.spelling.length() > longest.spelling.length())) {
        longest = code;
      }
    }
    return longest;
  }
}
