package io.loligo.core.message;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The target of a request, parsed and joined with Host into the effective URI (RFC 9112 sections
 * 3.2 and 3.3, RFC 9110 section 7.1). Reusable; confined to one event loop; offsets refer to the
 * head's array, strings are made only on demand.
 */
public final class RequestTarget {
  /** Forms of RFC 9112 section 3.2. */
  public enum Form {
    ORIGIN,
    ABSOLUTE,
    AUTHORITY,
    ASTERISK
  }

  /** The scheme of old clients of Squid's manager: {@code cache_object://HOST/PAGE[@PASSWORD]}. */
  public static final String MANAGER_SCHEME = "cache_object";

  private static final byte[] MANAGER_START = bytes(MANAGER_SCHEME + "://");
  private static final byte[] NONE = {};
  private static final byte[] ROOT = {'/'};
  private static final byte[] ASTERISK = {'*'};

  private final HostNames names;
  private Form form = Form.ORIGIN;
  private String scheme = "";
  private @Nullable String host;
  private @Nullable String authority;
  private byte[] hostBytes = ROOT;
  private int hostStart;
  private int hostEnd;
  private int port;

  /** The port of an authority that gives none, except in a target; 0: the scheme's default. */
  private int unnamedPort;

  /** Whether the authority gives a port. */
  private boolean givesPort;

  /** Whether the URL of an absolute-form target has user information. */
  private boolean userInfo;

  private byte[] pathBytes = ROOT;
  private int pathStart;
  private int pathEnd;
  private @Nullable String keySuffix;
  private @Nullable Object keyRule;
  private int keyEnd;
  private @Nullable StoreId storeId;
  private String defaultText = "";
  private byte[] defaultBytes = NONE;

  public RequestTarget() {
    this(new HostNames());
  }

  private RequestTarget(HostNames names) {
    this.names = names;
  }

  /**
   * Parses {@code head}'s target, borrowed until the next call.
   *
   * <p>The authority comes from an absolute-form or authority-form target, else from Host, else
   * from {@code defaultAuthority}. If Host does not choose, {@code defaultAuthority} precedes both
   * Host and an absolute-form target, whose scheme and authority are then ignored. User information
   * in an absolute-form target is no part of the authority, see {@link #hasUserInfo}; elsewhere it
   * is refused, and so are fragments. The host is checked against reg-name, IPv4 and IPv6 literal
   * syntax.
   *
   * @param defaultScheme {@code http} or {@code https}, for origin-form
   * @param defaultAuthority host or host:port for a request without one, or null
   * @param hostChooses whether Host overrides {@code defaultAuthority} (accel vhost, forward)
   * @return null, or why the target was refused
   */
  public @Nullable ParseFailure resolve(
      RequestHead head,
      String defaultScheme,
      @Nullable String defaultAuthority,
      boolean hostChooses) {
    return resolve(head, defaultScheme, defaultAuthority, hostChooses, 0);
  }

  /**
   * The same with a given port.
   *
   * @param fixedPort the port in place of that of Host or {@code defaultAuthority}; 0: theirs
   */
  public @Nullable ParseFailure resolve(
      RequestHead head,
      String defaultScheme,
      @Nullable String defaultAuthority,
      boolean hostChooses,
      int fixedPort) {
    byte[] bytes = head.bytes();
    int start = head.targetStart();
    int end = head.targetEnd();
    host = null;
    authority = null;
    scheme = defaultScheme;
    userInfo = false;
    storeId = null;
    keyedBy(null, null, 0);
    if (head.methodId() == Method.CONNECT) {
      return authorityForm(bytes, start, end);
    }
    String fixed = hostChooses ? null : defaultAuthority;
    if (start < end && bytes[start] == '/') {
      form = Form.ORIGIN;
      path(bytes, start, end);
    } else if (end - start == 1 && bytes[start] == '*') {
      if (head.methodId() != Method.OPTIONS) {
        return ParseFailure.BAD_TARGET;
      }
      form = Form.ASTERISK;
      path(ASTERISK, 0, 1);
    } else {
      ParseFailure failure = absoluteForm(head, fixed == null ? null : defaultScheme);
      if (failure != null || fixed == null) {
        return failure == null ? fragmentFailure() : failure;
      }
    }
    ParseFailure failure = fragmentFailure();
    if (failure != null) {
      return failure;
    }
    failure = fixed == null ? fromHost(head.fields(), defaultAuthority) : fromText(fixed);
    if (failure == null && fixedPort > 0) {
      port = fixedPort;
    }
    return failure;
  }

  /**
   * The same for a connection whose client means one server, and does not know the proxy.
   *
   * @param host the host of a request that names none, an IPv6 address in brackets
   * @param connectedPort the port of that server: the one of a Host field that gives none, and of
   *     {@code host}. An absolute-form target has the port that it says
   */
  public @Nullable ParseFailure resolveAt(
      RequestHead head, String scheme, String host, int connectedPort) {
    unnamedPort = connectedPort;
    try {
      return resolve(head, scheme, host, true, 0);
    } finally {
      unnamedPort = 0;
    }
  }

  /** Whether {@code head}, borrowed, has a target of {@link #MANAGER_SCHEME}. */
  public static boolean isForManager(RequestHead head) {
    int start = head.targetStart();
    int end = start + MANAGER_START.length;
    return end <= head.targetEnd()
        && Arrays.equals(head.bytes(), start, end, MANAGER_START, 0, MANAGER_START.length);
  }

  /**
   * Parses a target that {@link #isForManager}, borrowed until the next call. Its host does not
   * count, and the password after its page is in no value of this object.
   *
   * @param host the host in its place
   * @param ownPort the port in its place
   * @return null, or why the target was refused
   */
  public @Nullable ParseFailure resolveManager(RequestHead head, String host, int ownPort) {
    if (head.methodId() == Method.CONNECT) {
      return ParseFailure.BAD_TARGET;
    }
    form = Form.ABSOLUTE;
    scheme = MANAGER_SCHEME;
    authority = null;
    userInfo = false;
    storeId = null;
    keyedBy(null, null, 0);
    ParseFailure failure = fromText(host);
    port = ownPort;
    byte[] bytes = head.bytes();
    int slash = indexOf(bytes, '/', head.targetStart() + MANAGER_START.length, head.targetEnd());
    if (slash == head.targetEnd()) {
      path(ROOT, 0, 1);
    } else {
      path(bytes, slash, indexOf(bytes, '@', slash, head.targetEnd()));
    }
    return failure == null ? fragmentFailure() : failure;
  }

  private static int indexOf(byte[] bytes, char wanted, int start, int end) {
    int at = start;
    while (at < end && bytes[at] != wanted) {
      at++;
    }
    return at;
  }

  private static byte[] bytes(String ascii) {
    return ascii.getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * Whether Host in {@code fields}, borrowed, names the same host and port. True without Host. A
   * Host without a port has the default port of the scheme; beside CONNECT, that of the target.
   */
  public boolean agreesWith(Fields fields) {
    int field = fields.first(FieldName.HOST);
    if (field < 0) {
      return true;
    }
    byte[] bytes = fields.bytes();
    int start = fields.valueStart(field);
    int end = fields.valueEnd(field);
    int to = Authority.hostEnd(bytes, start, end);
    int given = to < 0 ? -1 : Authority.port(bytes, to, end);
    if (given < 0) {
      return false;
    }
    int usual = form == Form.AUTHORITY ? port : defaultPort(scheme);
    return (given == 0 ? usual : given) == port && names.of(bytes, start, to).equals(host());
  }

  public Form form() {
    return form;
  }

  /**
   * Whether the target that {@link #resolve} read has user information. It is in no other value of
   * this object: not in {@link #url}, and not in the key.
   */
  public boolean hasUserInfo() {
    return userInfo;
  }

  /** {@code http} or {@code https} or another scheme in lower case; empty for authority-form. */
  public String scheme() {
    return scheme;
  }

  /**
   * Lower case, no brackets, no trailing dot, an IPv6 address as {@link IpText#normal} writes it;
   * cached until the next {@link #resolve}.
   */
  public String host() {
    if (host == null) {
      host = names.of(hostBytes, hostStart, hostEnd);
    }
    return host;
  }

  /** The given port or the scheme's default; 0 if neither is known. */
  public int port() {
    return port;
  }

  /** The array of the offsets: the head's, or one of this object's own. */
  public byte[] pathBytes() {
    return pathBytes;
  }

  /**
   * Start of path and query; an empty path counts as {@code /}, except that OPTIONS of a whole
   * server has {@code *} in both its forms (RFC 9112 section 3.2.4). Nothing in authority-form.
   */
  public int pathStart() {
    return pathStart;
  }

  /** Exclusive; fragment never included. */
  public int pathEnd() {
    return pathEnd;
  }

  /**
   * Sets another key than that of its URL, until the next {@link #resolve}.
   *
   * @param suffix of the key; null: none, and the key is that of the URL
   * @param rule why, for the maker of the key; null without
   * @param end where the relevant part of path and query ends; exclusive
   */
  public void keyedBy(@Nullable String suffix, @Nullable Object rule, int end) {
    keySuffix = suffix;
    keyRule = rule;
    keyEnd = end;
  }

  /** The text after the URL in its key; null: none, the key is that of the URL. */
  public @Nullable String keySuffix() {
    return keySuffix;
  }

  /** See {@link #keyedBy}. */
  public @Nullable Object keyRule() {
    return keyRule;
  }

  /** Where the part of path and query that is relevant for the key ends; exclusive. */
  public int keyEnd() {
    return keySuffix == null ? pathEnd : keyEnd;
  }

  /** Stores responses under {@code id} instead of the URL, until the next {@link #resolve}. */
  public void storedAs(StoreId id) {
    storeId = id;
  }

  /** A string: the store id, or without one {@link #url}. Patterns of freshness compare it. */
  public String ruledUrl() {
    return storeId == null ? url() : storeId.text();
  }

  /** The name under which responses are stored; null: the URL. */
  public @Nullable StoreId storeId() {
    return storeId;
  }

  /**
   * {@code host[:port]} with the default port left out and brackets where needed; cached until the
   * next {@link #resolve}.
   */
  public String authority() {
    if (authority == null) {
      String name = host().indexOf(':') < 0 ? host() : '[' + host() + ']';
      authority = port == defaultPort(scheme) ? name : name + ':' + port;
    }
    return authority;
  }

  /** A new string: the effective URI, {@code host:port} for authority-form. */
  public String url() {
    StringBuilder text = new StringBuilder(host().length() + pathEnd - pathStart + 16);
    if (form != Form.AUTHORITY) {
      text.append(scheme).append("://");
    }
    appendHost(text);
    if (port != defaultPort(scheme)) {
      text.append(':').append(port);
    }
    if (pathBytes != ASTERISK) {
      for (int i = pathStart; i < pathEnd; i++) {
        text.append((char) (pathBytes[i] & 0xff));
      }
    }
    return text.toString();
  }

  /** An independent copy whose offsets refer to {@code copy}, a snapshot of the same head. */
  public RequestTarget snapshot(RequestHead copy) {
    RequestTarget other = new RequestTarget(names);
    other.form = form;
    other.scheme = scheme;
    other.host = host();
    other.authority = authority;
    other.port = port;
    boolean ofHead = pathStart >= copy.targetStart();
    other.path(ofHead ? copy.bytes() : pathBytes, pathStart, pathEnd);
    other.keyedBy(keySuffix, keyRule, keyEnd);
    other.storeId = storeId;
    return other;
  }

  /** RFC 9112 section 3.2.3: host and port, both. */
  private @Nullable ParseFailure authorityForm(byte[] bytes, int start, int end) {
    form = Form.AUTHORITY;
    scheme = "";
    path(ROOT, 0, 0);
    ParseFailure failure = authority(bytes, start, end, ParseFailure.BAD_TARGET);
    return failure == null && port == 0 ? ParseFailure.BAD_TARGET : failure;
  }

  /** RFC 9112 section 3.2.2. */
  private @Nullable ParseFailure absoluteForm(RequestHead head, @Nullable String fixedScheme) {
    byte[] bytes = head.bytes();
    int start = head.targetStart();
    int end = head.targetEnd();
    form = Form.ABSOLUTE;
    int colon = schemeEnd(bytes, start, end);
    if (colon < 0 || end - colon < 3 || bytes[colon + 1] != '/' || bytes[colon + 2] != '/') {
      return ParseFailure.BAD_TARGET;
    }
    scheme = fixedScheme == null ? schemeOf(bytes, start, colon) : fixedScheme;
    int authorityStart = colon + 3;
    int to = authorityStart;
    while (to < end && bytes[to] != '/' && bytes[to] != '?' && bytes[to] != '#') {
      to++;
    }
    if (to == end) {
      boolean wholeServer = head.methodId() == Method.OPTIONS;
      path(wholeServer ? ASTERISK : ROOT, 0, 1);
    } else if (bytes[to] == '/') {
      path(bytes, to, end);
    } else {
      byte[] rooted = new byte[end - to + 1];
      rooted[0] = '/';
      System.arraycopy(bytes, to, rooted, 1, end - to);
      path(rooted, 0, rooted.length);
    }
    int hostStart = afterUserInfo(bytes, authorityStart, to);
    userInfo = hostStart > authorityStart;
    return hostStart < 0
        ? ParseFailure.BAD_TARGET
        : authority(bytes, hostStart, to, ParseFailure.BAD_TARGET);
  }

  /**
   * Where the host begins: after the user information (RFC 3986 section 3.2.1), if there is any.
   * -1: it has a byte that other parsers may take for the end of the authority.
   */
  private static int afterUserInfo(byte[] bytes, int start, int end) {
    int at = end - 1;
    while (at >= start && bytes[at] != '@') {
      at--;
    }
    for (int i = start; i < at; i++) {
      byte b = bytes[i];
      if (!Ascii.isLetter(b) && !Ascii.isDigit(b) && "-._~%!$&'()*+,;=:".indexOf(b) < 0) {
        return -1;
      }
    }
    return at < start ? start : at + 1;
  }

  private @Nullable ParseFailure fromHost(Fields fields, @Nullable String defaultAuthority) {
    int field = fields.first(FieldName.HOST);
    if (field >= 0 && fields.valueStart(field) < fields.valueEnd(field)) {
      return named(fields.bytes(), fields.valueStart(field), fields.valueEnd(field));
    }
    if (defaultAuthority == null) {
      return field < 0 ? ParseFailure.MISSING_HOST : ParseFailure.BAD_HOST;
    }
    return fromText(defaultAuthority);
  }

  /** An authority outside the target. */
  private @Nullable ParseFailure named(byte[] bytes, int start, int end) {
    ParseFailure failure = authority(bytes, start, end, ParseFailure.BAD_HOST);
    if (failure == null && unnamedPort > 0 && !givesPort) {
      port = unnamedPort;
    }
    return failure;
  }

  private @Nullable ParseFailure authority(
      byte[] bytes, int start, int end, ParseFailure otherwise) {
    int to = Authority.hostEnd(bytes, start, end);
    int given = to < 0 ? -1 : Authority.port(bytes, to, end);
    if (given < 0) {
      return otherwise;
    }
    hostBytes = bytes;
    hostStart = start;
    hostEnd = to;
    host = null;
    givesPort = given > 0;
    port = givesPort ? given : defaultPort(scheme);
    return null;
  }

  private @Nullable ParseFailure fragmentFailure() {
    for (int i = pathStart; i < pathEnd; i++) {
      if (pathBytes[i] == '#') {
        return ParseFailure.BAD_TARGET;
      }
    }
    return null;
  }

  private void path(byte[] bytes, int start, int end) {
    pathBytes = bytes;
    pathStart = start;
    pathEnd = end;
  }

  private @Nullable ParseFailure fromText(String authority) {
    if (!authority.equals(defaultText)) {
      defaultText = authority;
      defaultBytes = authority.getBytes(StandardCharsets.ISO_8859_1);
    }
    return named(defaultBytes, 0, defaultBytes.length);
  }

  private void appendHost(StringBuilder text) {
    if (host().indexOf(':') < 0) {
      text.append(host());
    } else {
      text.append('[').append(host()).append(']');
    }
  }

  /** The offset of the colon after a scheme (RFC 3986 section 3.1), or -1. */
  private static int schemeEnd(byte[] bytes, int start, int end) {
    for (int i = start; i < end; i++) {
      byte b = bytes[i];
      boolean later = Ascii.isDigit(b) || b == '+' || b == '-' || b == '.';
      if (!Ascii.isLetter(b) && (i == start || !later)) {
        return i > start && b == ':' ? i : -1;
      }
    }
    return -1;
  }

  private static String schemeOf(byte[] bytes, int start, int end) {
    if (isScheme("http", bytes, start, end)) {
      return "http";
    }
    if (isScheme("https", bytes, start, end)) {
      return "https";
    }
    return new String(bytes, start, end - start, StandardCharsets.US_ASCII)
        .toLowerCase(Locale.ROOT);
  }

  private static boolean isScheme(String lower, byte[] bytes, int start, int end) {
    if (lower.length() != end - start) {
      return false;
    }
    for (int i = start; i < end; i++) {
      if ((bytes[i] | 0x20) != lower.charAt(i - start)) {
        return false;
      }
    }
    return true;
  }

  /** The default port of {@code scheme}, 0 if it has none. */
  private static int defaultPort(String scheme) {
    return Math.max(0, Authority.defaultPort(scheme));
  }
}
