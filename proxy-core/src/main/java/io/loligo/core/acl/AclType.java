package io.loligo.core.acl;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The types that an {@code acl} line may name. Immutable. */
public enum AclType {
  SRC("src", Support.FULL, "address, range or network of the client"),
  DST(
      "dst",
      Support.FULL,
      "address, range or network of the destination; needs its name resolved, or with -n compares"
          + " only an address in the URL"),
  LOCALIP("localip", Support.FULL, "address the client connected to"),
  LOCALPORT("localport", Support.FULL, "port the client connected to"),
  MYPORTNAME(
      "myportname", Support.FULL, "name= of the http_port; the default is its port as written"),
  DSTDOMAIN(
      "dstdomain", Support.FULL, "destination host; .example.com also matches its subdomains"),
  DSTDOM_REGEX("dstdom_regex", Support.FULL, "expression found in the destination host"),
  PORT("port", Support.FULL, "destination port or range"),
  METHOD("method", Support.FULL, "request method"),
  PROTO("proto", Support.FULL, "scheme of the URL"),
  URL_REGEX("url_regex", Support.FULL, "expression found in the URL, percent-decoded once"),
  URLPATH_REGEX(
      "urlpath_regex", Support.FULL, "expression found in path and query, percent-decoded once"),
  BROWSER("browser", Support.FULL, "expression found in User-Agent"),
  REFERER_REGEX("referer_regex", Support.FULL, "expression found in Referer"),
  REQ_HEADER("req_header", Support.FULL, "field name, then expression found in its value"),
  REQ_MIME_TYPE("req_mime_type", Support.FULL, "expression found in the request's Content-Type"),
  REP_HEADER("rep_header", Support.FULL, "field name, then expression found in its value"),
  REP_MIME_TYPE("rep_mime_type", Support.FULL, "expression found in the response's Content-Type"),
  HTTP_STATUS("http_status", Support.FULL, "status of the response: 200, 300-399, 400-"),
  USER_CERT(
      "user_cert",
      Support.FULL,
      "attribute (DN, CN, O, OU, C, L, ST or an object identifier), then values of it in the"
          + " client's certificate"),
  CA_CERT("ca_cert", Support.FULL, "the same of the issuer of the client's certificate"),
  TIME("time", Support.FULL, "days SMTWHFAD (D: weekdays) and h:m-h:m, local time"),
  MAXCONN("maxconn", Support.FULL, "more than this many connections from the client's address"),
  SSL_ERROR(
      "ssl_error",
      Support.FULL,
      "fault of the server's certificate, such as X509_V_ERR_CERT_HAS_EXPIRED"),
  AT_STEP(
      "at_step",
      Support.FULL,
      "step of ssl_bump that is decided: SslBump1, SslBump2 or SslBump3; SslBump1 also where none"
          + " is"),
  SSL_SERVER_NAME(
      "ssl::server_name",
      Support.FULL,
      "name of the TLS server: of its certificate if that is known, else as the client asked for"
          + " it, else the host; .example.com also matches names below it. Options:"
          + " --client-requested, --server-provided, --consensus (the client's name, if the"
          + " certificate has it too)"),
  SSL_SERVER_NAME_REGEX(
      "ssl::server_name_regex", Support.FULL, "expression found in a name of the TLS server"),
  CONNECTIONS_ENCRYPTED(
      "connections_encrypted", Support.FULL, "TLS on all connections of the transaction; no value"),
  TRANSACTION_INITIATOR(
      "transaction_initiator", Support.FULL, "client, internal (a background request) or all"),
  HAS("has", Support.FULL, "request, response or ALE: the part exists"),
  EXTERNAL(
      "external",
      Support.FULL,
      "name of an external_acl_type above, then arguments for it: its helper answers OK"),
  RANDOM(
      "random",
      Support.FULL,
      "chance: 1/4, 1:3 or 0.25 match one request of four; decided anew at each evaluation"),
  ANY_OF("any-of", Support.FULL, "any of these ACLs"),
  ALL_OF("all-of", Support.FULL, "all ACLs of one line"),
  PROXY_AUTH(
      "proxy_auth",
      Support.FULL,
      "name of the user, who must log in; REQUIRED: any. Needs an auth_param program above"),
  PROXY_AUTH_REGEX(
      "proxy_auth_regex", Support.FULL, "expression found in the name of the user, as proxy_auth"),
  MAX_USER_IP(
      "max_user_ip",
      Support.FULL,
      "more than this many addresses of the user within authenticate_ip_ttl. All are forgotten"
          + " then; with -s, only the address of the request"),
  SRCDOMAIN(
      "srcdomain",
      Support.FULL,
      "name that DNS has for the client's address, or none; as dstdomain. The first request of an"
          + " address waits for it"),
  SRCDOM_REGEX("srcdom_regex", Support.FULL, "expression found in that name of the client"),
  ARP(
      "arp",
      Support.FULL,
      "MAC address of an IPv4 client on a network of this machine, from the neighbour table of"
          + " Linux"),
  EUI64("eui64", Support.FULL, "EUI-64 inside a unique local IPv6 address of the client"),
  URLLOGIN("urllogin", Support.FULL, "expression found in the user information of the URL"),
  PEERNAME("peername", Support.FULL, "name of the cache_peer that the request is sent to"),
  PEERNAME_REGEX("peername_regex", Support.FULL, "expression found in that name"),
  HIER_CODE(
      "hier_code", Support.FULL, "code of the way to the response, such as HIER_DIRECT (%Sh)"),
  NOTE(
      "note",
      Support.FULL,
      "name of a note (annotation), then values of it; without values, any. A value is a list with"
          + " commas, or with the characters of -m=; each token of it counts"),
  ANNOTATE_CLIENT(
      "annotate_client",
      Support.FULL,
      "always matches, and adds notes NAME=VALUE or NAME+=VALUE to the request and to later"
          + " requests of its connection"),
  ANNOTATE_TRANSACTION(
      "annotate_transaction",
      Support.FULL,
      "always matches, and adds notes NAME=VALUE (in the place of others) or NAME+=VALUE to the"
          + " request"),
  SERVER_CERT_FINGERPRINT(
      "server_cert_fingerprint",
      Support.FULL,
      "SHA-1 digest of the server's certificate, as AA:BB:..."),
  SQUID_ERROR("squid_error", Support.FULL, "name of the page that is sent, such as ERR_DNS_FAIL"),
  ADDED(
      "loligo_added",
      Support.FULL,
      "host and port that an operator has added to this ACL at the admin port, for some minutes; no"
          + " value"),
  OTHER_SERVER_NAME(
      "loligo_other_server_name",
      Support.FULL,
      "the client's first message of TLS names another server than its CONNECT; no value"),

  EXT_USER(
      "ext_user",
      Support.FULL,
      "user= that a helper of an external ACL above has told; REQUIRED: any. -i ignores case"),
  EXT_USER_REGEX("ext_user_regex", Support.FULL, "expression found in that user"),
  IDENT("ident", Support.MISSING, "ident name, removed in Squid 7: use proxy_auth or src"),
  IDENT_REGEX(
      "ident_regex",
      Support.MISSING,
      "ident name, removed in Squid 7: use proxy_auth_regex or src"),
  SRC_AS(
      "src_as",
      Support.MISSING,
      "AS number of the client, removed in Squid 8: use src with networks"),
  DST_AS(
      "dst_as",
      Support.MISSING,
      "AS number of the destination, removed in Squid 8: use dst with networks"),
  CLIENTSIDE_MARK("clientside_mark", Support.FULL, "as client_connection_mark"),
  CLIENT_CONNECTION_MARK(
      "client_connection_mark",
      Support.FULL,
      "MARK or MARK/MASK: netfilter's mark of the client's connection (ct mark), read from"
          + " /proc/net/nf_conntrack at the first rule that asks for it"),
  TAG("tag", Support.FULL, "first tag= that a helper of an external ACL above has told"),
  ADAPTATION_SERVICE(
      "adaptation_service",
      Support.FULL,
      "name of an ICAP service, set or chain that was chosen for the message"),
  SNMP_COMMUNITY("snmp_community", Support.MISSING, "SNMP is not served");

  /** Whether a type takes effect. */
  enum Support {
    FULL,
    MISSING
  }

  private static final Map<String, AclType> BY_NAME = new HashMap<>();

  static {
    for (AclType type : values()) {
      BY_NAME.put(type.word, type);
    }
    BY_NAME.put("myip", LOCALIP);
    BY_NAME.put("myport", LOCALPORT);
  }

  private final String word;
  private final Support support;
  private final String text;

  AclType(String word, Support support, String text) {
    this.word = word;
    this.support = support;
    this.text = text;
  }

  /** The type of this name, or null. */
  public static @Nullable AclType of(String word) {
    return BY_NAME.get(word);
  }

  /** The name in a configuration. */
  public String word() {
    return word;
  }

  /** The property with which its values are compared. */
  public String text() {
    return text;
  }

  /** Whether conditions of this type can be decided. */
  public boolean hasEffect() {
    return support == Support.FULL;
  }

  /** Whether a condition of this type tests the response. */
  public boolean needsReply() {
    return this == REP_HEADER || this == REP_MIME_TYPE || this == HTTP_STATUS;
  }

  /** Whether a condition of this type asks who the user is. */
  public boolean asksForUser() {
    return this == PROXY_AUTH || this == PROXY_AUTH_REGEX || this == MAX_USER_IP;
  }

  /** Whether a condition of this type asks for facts of the client that are looked up. */
  public boolean needsClientLookUp() {
    return this == SRCDOMAIN || this == SRCDOM_REGEX || this == ARP || isMark();
  }

  /** Whether a condition of this type asks for netfilter's mark of the client's connection. */
  public boolean isMark() {
    return this == CLIENTSIDE_MARK || this == CLIENT_CONNECTION_MARK;
  }

  /** Whether its values are expressions, in which a blank may follow a backslash. */
  public boolean takesExpressions() {
    return switch (this) {
      case DSTDOM_REGEX,
          URL_REGEX,
          URLPATH_REGEX,
          BROWSER,
          REFERER_REGEX,
          REQ_HEADER,
          REQ_MIME_TYPE,
          REP_HEADER,
          REP_MIME_TYPE,
          SSL_SERVER_NAME_REGEX,
          SRCDOM_REGEX,
          URLLOGIN,
          PEERNAME_REGEX,
          EXT_USER_REGEX,
          PROXY_AUTH_REGEX ->
          true;
      default -> false;
    };
  }
}
